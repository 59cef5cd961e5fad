"""What the paper printed (``published``) and fixed (``protocol``).

Nothing is computed here, and nothing of hypercut is imported: every other room may use it, except ``core``.
"""

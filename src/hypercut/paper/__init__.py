"""What the paper printed (``published``) and fixed (``protocol``), and what its figures say (``forensics``).

Nothing here depends on results of ours, and nothing of hypercut is imported from outside: every other room may use it,
except ``core``.
"""

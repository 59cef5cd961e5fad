"""Methods shown for reference: scikit-learn's, controls, and AK+NC with K estimated.

They run only if a configuration lists them. ``baselines`` imports nothing of hypercut, so an edit of the algorithms
does not rerun them.
"""

"""MLflow as an index of the results.

Modules: ``content`` says what is logged, ``sync`` writes the difference to what MLflow has, ``store`` talks to MLflow,
``links`` has the views and addresses of its pages. See docs/tracking.md.
"""

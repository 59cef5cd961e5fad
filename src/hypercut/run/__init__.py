"""Computing one result: a worker process that may die, and the clusterings in it."""

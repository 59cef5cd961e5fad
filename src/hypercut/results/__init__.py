"""Result files: rows, gathering, the choice of σ, archives and comparisons."""

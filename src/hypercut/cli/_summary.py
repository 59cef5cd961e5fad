"""The summary that ``hypercut cluster`` prints: input, algorithm, scale, cluster sizes and scores."""

import argparse
from typing import TYPE_CHECKING, Any

from hypercut.paper.protocol import SIGMA_FACTORS

if TYPE_CHECKING:
    from hypercut.algorithms import Estimator
    from hypercut.data.tables import Table

LISTED = 12  # clusters whose sizes are printed, largest first


def summarize(args: argparse.Namespace, estimator: "Estimator", table: "Table", seconds: float) -> str:
    """Return the summary of a clustering, one fact per line."""
    # Here, since `hypercut --help` need not wait for numpy and scikit-learn.
    import numpy as np

    from hypercut.metrics import evaluate

    k = args.clusters or estimator.labels_.max() + 1
    sizes = np.sort(np.bincount(estimator.labels_, minlength=k))[::-1]
    lines = {
        "samples": f"{table.X.shape[0]} × {table.X.shape[1]} from {args.file}",
        **({"read as": "; ".join(table.notes)} if table.notes else {}),
        "algorithm": f"{estimator.name}, {k} clusters{'' if args.clusters else ' (estimated)'}, seed {args.seed}",
        "scale": _scale(estimator),
        "clusters": ", ".join(map(str, sizes[:LISTED])) + (f", … ({len(sizes)} in all)" if len(sizes) > LISTED else ""),
        "status": f"{estimator.status_} after {estimator.n_iter_} iterations, {seconds:.1f} s",
        "written": str(args.out),
    }
    if args.truth and table.y is not None:
        scores = evaluate(table.y, estimator.labels_)
        lines[f"against {args.truth}"] = ", ".join(f"{name} {value:.4f}" for name, value in scores.items())
    width = max(map(len, lines))
    return "\n".join([*(f"{name:<{width}}  {value}" for name, value in lines.items()), *_remarks(estimator)])


def _scale(estimator: Any) -> str:
    import numpy as np  # here, as above

    if not estimator.has_scale:
        low, high = np.percentile(estimator.affinity_scale_, [5, 95])
        view = getattr(estimator, "view_", None)
        return f"local, σ from {low:.4g} to {high:.4g} (5th to 95th percentile)" + (
            f"; features {'as given' if view == 'given' else view}" if view else ""
        )
    text = f"σ = {estimator.affinity_scale_:.4g} = {estimator.sigma_factor_:g} × mean distance"
    if estimator.get_params()["sigma_factor"] == "auto":
        text += f", chosen without labels among {len(SIGMA_FACTORS)}"
        if estimator.sigma_factor_ in (SIGMA_FACTORS[0], SIGMA_FACTORS[-1]):
            text += " (at the edge of the grid)"
    return text


def _remarks(estimator: "Estimator") -> list[str]:
    if estimator.solver_.get("path") == "distinct":
        return ["There are no more distinct samples than clusters, so each distinct sample is a cluster."]
    if estimator.status_ == "degenerate":
        advice = " Try a larger --sigma." if estimator.has_scale else ""
        return [f"The graph has at least as many connected components as clusters; these are the clusters.{advice}"]
    return []

"""The summary that ``hypercut cluster`` prints: input, features, number of clusters, certainty and scores."""

import argparse
import math
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypercut.cli._input import input_name
from hypercut.cli._output import ARRAYS, NO_LABEL, STDOUT
from hypercut.paper.protocol import SIGMA_FACTORS

if TYPE_CHECKING:
    from hypercut.algorithms import Estimator
    from hypercut.data.tables import Source, Table

LISTED_FEATURES = 8
LISTED_SIZES = 10  # largest clusters
#: Samples whose largest membership is smaller are between clusters.
BORDER = 0.6
#: Information above chance from which clusters are clear, or else a tendency. A uniform square has 0.3, a normal
#: distribution 0.1, handwritten digits 0.9.
CLEAR, TENDENCY = 0.6, 0.4
#: Few features dominate if at most this share of them has at least that share of the variance.
FEW, MOST = 0.2, 0.95
#: ``status_`` in words.
STATUS = {"degenerate": "ok (the clusters are disconnected)", "not_converged": "not converged: labels may be rough"}


def facts(args: argparse.Namespace, estimator: "Estimator", source: "Source", table: "Table") -> dict[str, str]:
    """Return what is known about the input and the clustering, by name."""
    rows, columns = source.frame.shape
    return {
        "input": f"{rows} rows × {columns} columns in {input_name(args.file)}",
        **({"read as": "; ".join(table.notes)} if table.notes else {}),
        "features": f"{len(table.columns)}{', standardized' if args.standardize else ''}: {_shortened(table.columns)}",
        **({"left out": _left_out(table)} if table.left_out or table.kept is not None else {}),
        "algorithm": f"{estimator.name}, seed {args.seed}; {_scale(args, estimator)}",
        "clusters": _number(args, estimator),
        "sizes": _sizes(estimator),
        **_certainty(estimator),
        **_scores(args, estimator, table),
    }


def layout(facts: dict[str, str], width: int) -> str:
    """Return the facts as lines of at most ``width`` characters."""
    indent = max(map(len, facts)) + 2
    wrap = textwrap.TextWrapper(
        width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    ).fill
    return "\n".join(wrap(f"{name:<{indent}}{value}") for name, value in facts.items())


def written(args: argparse.Namespace, out: Path, column: str, table: "Table") -> str:
    """Return where the labels are, and what rows without a label have."""
    where = "standard output" if out == STDOUT else str(out)
    if out == STDOUT and args.out is None:
        where += ", because the input is standard input (--out FILE writes a file)"
    if column not in ("", "cluster"):
        where += f", column {column}"
    if table.kept is not None:
        where += f"; rows left out have {f'the label {NO_LABEL}' if out.suffix.lower() in ARRAYS else 'no label'}"
    return where


def status(estimator: "Estimator", seconds: float) -> str:
    """Return how the clustering went."""
    steps = f"{estimator.n_iter_} iteration{'' if estimator.n_iter_ == 1 else 's'}"
    found = STATUS.get(estimator.status_, estimator.status_)
    if estimator.solver_.get("path") == "distinct":
        found = "ok (each distinct sample is a cluster)"
    return f"{found}, {steps}, {seconds:.1f} s"


def remarks(args: argparse.Namespace, estimator: "Estimator", table: "Table") -> list[str]:
    """Return what the user should know or may want to do, in sentences."""
    found = _dominance(args, estimator, table)
    if estimator.solver_.get("path") == "distinct":
        found.append("There are no more distinct samples than clusters, so each distinct sample is a cluster.")
    elif estimator.status_ == "degenerate" and estimator.has_scale:
        found.append("The graph has at least as many connected components as clusters. Try a larger --sigma.")
    for name in table.classes:
        used = ", but is used as a feature" if name in table.columns else ""
        found.append(f"Column {name!r} looks like classes{used}. Compare the clusters with it: --truth {_quoted(name)}")
    return found


def _dominance(args: argparse.Namespace, estimator: "Estimator", table: "Table") -> list[str]:
    """Return a warning if few features have nearly all of the variance and were not standardized."""
    if args.standardize or getattr(estimator, "view_", "") == "standardized":
        return []
    import numpy as np  # here, as below

    variances = table.X.var(axis=0)
    order = np.argsort(-variances, kind="stable")
    varying = int(np.count_nonzero(variances))
    shares = variances[order].cumsum() / variances.sum()
    count = int(np.count_nonzero(shares < MOST)) + 1
    if varying < 2 or not np.isfinite(shares).all() or count > max(1, FEW * varying):
        return []
    names = _shortened([repr(table.columns[i]) for i in order[:count]])
    have = f"feature {names} has" if count == 1 else f"the {count} features {names} have together"
    others = "the other one hardly matters" if varying - count == 1 else f"the other {varying - count} hardly matter"
    return [
        f"Warning: {have} {_percent(shares[count - 1])} of the variance; {others}. If the features are in different "
        "units, add --standardize."
    ]


def _percent(share: float) -> str:
    """Return a share below 1 in percent, rounded down, so that it is 100 % only if it is all."""
    return f"{math.floor(1000 * share) / 10:g} %"


def _shortened(names: list[str]) -> str:
    from hypercut.data.tables import listed  # here, since `hypercut --help` need not wait for numpy

    return listed(names, LISTED_FEATURES)


def _quoted(name: str) -> str:
    return f"'{name}'" if " " in name else name


def _left_out(table: "Table") -> str:
    reasons = dict.fromkeys(table.left_out.values())
    parts = [
        f"{_shortened([name for name, why in table.left_out.items() if why == reason])} ({reason})"
        for reason in reasons
    ]
    if table.kept is not None:
        parts.append(f"{(~table.kept).sum()} of {len(table.kept)} rows, which have missing values")
    return ", ".join(parts)


def _number(args: argparse.Namespace, estimator: Any) -> str:
    """Return K and where it comes from: given, separate parts of the graph, or information."""
    if args.clusters:
        return f"{args.clusters}, as specified"
    k, profile = int(estimator.labels_.max()) + 1, getattr(estimator, "k_profile_", None)
    if profile is None:
        return f"{k}, estimated"
    parts = estimator.solver_.get("path") == "parts"
    text = f"{k}, estimated" + (f": the samples fall into {k} separate parts" if parts else " by information")
    values = dict(zip(profile["n_clusters"].tolist(), profile["information"].tolist(), strict=True))
    others = [number for number in values if number != k]
    if k not in values or not others:  # of many parts, fewer clusters may be all that was tried
        return text
    runner_up = max(others, key=lambda number: values[number])
    text += f" ({'information ' if parts else ''}{values[k]:.2f}); runner-up {runner_up} ({values[runner_up]:.2f})"
    unclear = not parts and values[runner_up] > values[k]
    return text + (", not clearly better, so the larger K is chosen" if unclear else "")


def _sizes(estimator: "Estimator") -> str:
    import numpy as np  # here, as above

    sizes = np.bincount(estimator.labels_)
    if len(sizes) <= LISTED_SIZES:
        return f"{', '.join(map(str, sizes))} (clusters 0 to {len(sizes) - 1})"
    largest = ", ".join(map(str, np.sort(sizes)[::-1][:LISTED_SIZES]))
    return f"{largest}, … (largest first; the smallest of {len(sizes)} has {sizes.min()})"


def _certainty(estimator: Any) -> dict[str, str]:
    """Return how clear the clusters are, and how sure the cluster of a sample, where the algorithm tells."""
    found = {}
    information = getattr(estimator, "information_", {}).get(getattr(estimator, "view_", ""))
    if estimator.solver_.get("path") == "parts":
        found["evidence"] = "strong: the clusters are separate"
    elif information is not None:
        words = "strong" if information >= CLEAR else "moderate" if information >= TENDENCY else "weak"
        found["evidence"] = f"{words}: {max(information, 0):.2f} (0: one cloud without clusters, 1: separate clusters)"
    if hasattr(estimator, "probabilities_"):
        largest = estimator.probabilities_.max(axis=1)
        border = int((largest < BORDER).sum())
        found["certainty"] = (
            f"mean membership {largest.mean():.0%}; {border} of {len(largest)} samples "
            f"({border / len(largest):.1%}) are between clusters (below {BORDER:.0%})"
        )
    return found


def _scores(args: argparse.Namespace, estimator: "Estimator", table: "Table") -> dict[str, str]:
    if not args.truth or table.y is None:
        return {}
    from hypercut.metrics import evaluate  # here, as above

    scores = evaluate(table.y, estimator.labels_)
    return {"agreement": f"with {args.truth}: " + ", ".join(f"{name} {value:.4f}" for name, value in scores.items())}


def _scale(args: argparse.Namespace, estimator: Any) -> str:
    import numpy as np  # here, as above

    if not estimator.has_scale:
        low, high = np.percentile(estimator.affinity_scale_, [5, 95])
        view = getattr(estimator, "view_", None)
        names = {None: "", "given": "; features " + ("standardized" if args.standardize else "as given")}
        return f"local scales from {low:.4g} to {high:.4g}" + names.get(view, f"; features {view}")
    text = f"σ = {estimator.affinity_scale_:.4g} = {estimator.sigma_factor_:g} × mean distance"
    if estimator.get_params()["sigma_factor"] == "auto":
        text += f", chosen without labels among {len(SIGMA_FACTORS)}"
        if estimator.sigma_factor_ in (SIGMA_FACTORS[0], SIGMA_FACTORS[-1]):
            text += " (at the edge of the grid)"
    return text

"""The summary that ``hypercut cluster`` prints: input, features, number of clusters, certainty and scores."""

import argparse
import math
import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hypercut.cli._input import input_name
from hypercut.cli._output import ARRAYS, NO_LABEL, STDOUT
from hypercut.data.tables import listed
from hypercut.metrics import evaluate
from hypercut.paper.protocol import SIGMA_FACTORS

if TYPE_CHECKING:
    from hypercut.algorithms import Estimator
    from hypercut.data.tables import Source, Table

WIDEST = 110  # longer lines are hard to read
LISTED_FEATURES = 8
LISTED_SIZES = 10  # largest clusters
#: A sample whose largest membership is smaller lies between clusters.
BORDER = 0.6
#: Information above chance from which the evidence is strong, or moderate. A uniform square has 0.3, a normal
#: distribution 0.1, handwritten digits 0.9.
STRONG, MODERATE = 0.6, 0.4
#: Few features dominate if at most this share of them has at least that share of the variance.
FEW, MOST = 0.2, 0.95
#: ``status_`` in words.
STATUS = {"degenerate": "ok (the clusters are disconnected)", "not_converged": "not converged: labels may be rough"}


def facts(
    args: argparse.Namespace, estimator: "Estimator", source: "Source", table: "Table", seconds: float
) -> dict[str, str]:
    """Return facts about the input and the clustering by name; ``seconds`` is the time of the clustering."""
    rows, columns = source.frame.shape
    names = listed(table.columns, LISTED_FEATURES)
    scores = evaluate(table.y, estimator.labels_) if args.truth and table.y is not None else {}
    agreement = ", ".join(f"{name} {value:.4f}" for name, value in scores.items())
    distinct = estimator.solver_.get("path") == "distinct"
    status = "ok (each distinct sample is a cluster)" if distinct else STATUS.get(estimator.status_, estimator.status_)
    steps = f"{estimator.n_iter_} iteration{'' if estimator.n_iter_ == 1 else 's'}"
    found = {
        "input": f"{rows} rows × {columns} columns in {input_name(args.file)}",
        "read as": "; ".join(table.notes),
        "features": f"{len(table.columns)}{', standardized' if args.standardize else ''}: {names}",
        "left out": _left_out(table),
        "algorithm": f"{estimator.name}, seed {args.seed}; {_scale(args, estimator)}",
        "clusters": _number(args, estimator),
        "sizes": _sizes(estimator),
        "evidence": _evidence(estimator),
        "certainty": _certainty(estimator),
        "agreement": f"with {args.truth}: {agreement}" if scores else "",
        "status": f"{status}, {steps}, {seconds:.1f} s",
    }
    return {name: text for name, text in found.items() if text}


def layout(facts: dict[str, str], remarks: list[str]) -> str:
    """Return facts and remarks as lines that fit the terminal."""
    width = min(shutil.get_terminal_size((100, 24)).columns, WIDEST)
    indent = max(map(len, facts)) + 2
    wrap = textwrap.TextWrapper(width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    lines = [wrap.fill(f"{name:<{indent}}{value}") for name, value in facts.items()]
    return "\n".join([*lines, *([""] if remarks else []), *(textwrap.fill(remark, width) for remark in remarks)])


def written(args: argparse.Namespace, out: Path, column: str, table: "Table") -> str:
    """Return where the labels were written, and what rows without a label contain."""
    where = "standard output" if out == STDOUT else str(out)
    where += f", column {column}" if column not in ("", "cluster") else ""
    if table.kept is not None:
        where += f"; rows left out have {f'the label {NO_LABEL}' if out.suffix.lower() in ARRAYS else 'no label'}"
    return where + (f"; plot: {args.plot}" if args.plot else "")


def remarks(args: argparse.Namespace, estimator: "Estimator", table: "Table") -> list[str]:
    """Return warnings and advice for the user, in sentences."""
    found = _dominance(args, estimator, table)
    if estimator.solver_.get("path") == "distinct":
        found.append("There are no more distinct samples than clusters, so each distinct sample is a cluster.")
    elif estimator.status_ == "degenerate" and estimator.has_sigma:
        found.append("The graph has at least as many connected components as clusters. Try a larger --sigma.")
    for name in table.classes:
        used = ", but is used as a feature" if name in table.columns else ""
        quoted = f"'{name}'" if " " in name else name
        found.append(f"Column {name!r} looks like classes{used}. Compare the clusters with it: --truth {quoted}")
    return found


def _dominance(args: argparse.Namespace, estimator: "Estimator", table: "Table") -> list[str]:
    """Return a warning if few features have nearly all of the variance and were not standardized."""
    variances = table.X.var(axis=0)
    order = np.argsort(-variances, kind="stable")
    varying = int(np.count_nonzero(variances))
    if args.standardize or getattr(estimator, "view_", "") == "standardized" or varying < 2:
        return []
    shares = variances[order].cumsum() / variances.sum()
    count = int(np.count_nonzero(shares < MOST)) + 1
    if not np.isfinite(shares).all() or count > max(1, FEW * varying):
        return []
    names = listed([repr(table.columns[i]) for i in order[:count]], LISTED_FEATURES)
    have = f"feature {names} has" if count == 1 else f"the {count} features {names} have together"
    # Rounded down: 100 % must mean all of it.
    share = math.floor(1000 * shares[count - 1]) / 10
    return [
        f"Warning: {have} {share:g} % of the variance; the others hardly matter. If the features are in "
        "different units, add --standardize."
    ]


def _left_out(table: "Table") -> str:
    by_reason: dict[str, list[str]] = {}
    for name, reason in table.left_out.items():
        by_reason.setdefault(reason, []).append(name)
    parts = [f"{listed(names, LISTED_FEATURES)} ({reason})" for reason, names in by_reason.items()]
    if table.kept is not None:
        parts.append(f"{(~table.kept).sum()} of {len(table.kept)} rows, which have missing values")
    return ", ".join(parts)


def _number(args: argparse.Namespace, estimator: Any) -> str:
    """Return K and its origin: given, separate parts of the graph, or information."""
    if args.clusters:
        return f"{args.clusters}, as specified"
    k, profile = estimator.n_clusters_, estimator.k_profile_
    parts = estimator.solver_.get("path") == "parts"
    text = f"{k}, estimated" + (f": the samples fall into {k} separate parts" if parts else " by information")
    values = dict(zip(profile["n_clusters"].tolist(), profile["information"].tolist(), strict=True))
    others = values.keys() - {k}
    if k not in values or not others:  # with many parts, only smaller K may have been tried
        return text
    runner_up = max(others, key=lambda number: values[number])
    text += f" ({'information ' if parts else ''}{values[k]:.2f}); runner-up {runner_up} ({values[runner_up]:.2f})"
    unclear = not parts and values[runner_up] > values[k]
    return text + (", not clearly better, so the larger K is chosen" if unclear else "")


def _sizes(estimator: "Estimator") -> str:
    sizes = np.bincount(estimator.labels_)
    if len(sizes) <= LISTED_SIZES:
        return f"{', '.join(map(str, sizes))} (clusters 0 to {len(sizes) - 1})"
    largest = ", ".join(map(str, np.sort(sizes)[::-1][:LISTED_SIZES]))
    return f"{largest}, … (largest first; the smallest of {len(sizes)} has {sizes.min()})"


def _evidence(estimator: Any) -> str:
    """Return how clear the clusters are, if the algorithm reports it."""
    if estimator.solver_.get("path") == "parts":
        return "strong: the clusters are separate"
    information = getattr(estimator, "information_", {}).get(getattr(estimator, "view_", ""))
    if information is None:
        return ""
    words = "strong" if information >= STRONG else "moderate" if information >= MODERATE else "weak"
    return f"{words}: {max(information, 0):.2f} (0: one cloud without clusters, 1: separate clusters)"


def _certainty(estimator: Any) -> str:
    """Return how certain the clusters of the samples are, if the algorithm reports it."""
    if not hasattr(estimator, "probabilities_"):
        return ""
    largest = estimator.probabilities_.max(axis=1)
    border = int((largest < BORDER).sum())
    return (
        f"mean membership {largest.mean():.0%}; {border} of {len(largest)} samples ({border / len(largest):.1%}) are "
        f"between clusters (below {BORDER:.0%})"
    )


def _scale(args: argparse.Namespace, estimator: Any) -> str:
    if not estimator.has_sigma:
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

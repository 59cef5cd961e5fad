"""All tables but the paper's four."""

from collections.abc import Sequence

import pandas as pd

from hypercut.benchmark.rows import FAILURES, Status
from hypercut.paper import published
from hypercut.report import ranks
from hypercut.report.claims import Claim
from hypercut.report.cost import seconds
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import EXPERIMENT_NAMES, METRIC_NAMES
from hypercut.report.gains import SCOPES
from hypercut.report.ranks import Ranking
from hypercut.report.tables import Cell, Table, number, text_rows


def headline_gains(gains: pd.DataFrame) -> Table:
    """The first screen's table: competitors × (experiment, metric), published beside ours with its interval."""
    rows = gains[(gains["scope"] == "paper") & gains["competitor"].isin(published.COMPETITORS)]
    pairs = _pairs()
    found = rows.set_index(["competitor", "experiment", "metric"])
    body = []
    for competitor in published.COMPETITORS:
        line = [Cell(competitor)]
        for experiment, metric in pairs:
            key = (competitor, experiment, metric)
            line.append(_gain_cell(found.loc[key]) if key in found.index else _printed_cell(*key))
        body.append(line)
    return Table(
        name="headline-gains",
        title="Average gain of PKO+HSC over each competitor, %",
        caption="Ours; the paper's tables over the same datasets; 95 % bootstrap interval of ours over datasets.",
        columns=["over", *map(_pair_label, pairs)],
        rows=body,
        data=rows.drop(columns="scope"),
    )


def _gain_cell(row: pd.Series) -> Cell:
    ours = float(row["ours"])
    notes = [f"paper {number(row['published'], 2, sign=True)}"]
    if row["low"] == row["low"]:
        notes.append(f"[{number(row['low'], 1, sign=True)}, {number(row['high'], 1, sign=True)}]")
    # Coloured only where the interval decides.
    tone = 0.6 if row["low"] > 0 else -0.6 if row["high"] < 0 else None
    return Cell(number(ours, 2, sign=True), value=ours, notes=tuple(notes), tone=tone)


def _printed_cell(competitor: str, experiment: str, metric: str) -> Cell:
    return Cell("–", notes=(f"paper {number(published.printed_gains(experiment, metric)[competitor], 2, sign=True)}",))


def gain_table(gains: pd.DataFrame, unsupervised: pd.DataFrame) -> Table:
    """All gains: every scope, every competitor, under both selection rules."""
    keys = ["scope", "experiment", "metric", "competitor"]
    other = unsupervised.set_index(keys)["ours"].rename("ours_unsupervised")
    data = gains.join(other, on=keys)
    body = [
        [
            Cell(f"{row.competitor}"),
            Cell(row.scope),
            Cell(EXPERIMENT_NAMES[row.experiment]),
            Cell(METRIC_NAMES[row.metric]),
            *(Cell(number(value, 2, sign=True), value=value) for value in (row.printed, row.published)),
            Cell(number(row.ours, 2, sign=True), value=row.ours),
            Cell(f"{number(row.low, 1, sign=True)} to {number(row.high, 1, sign=True)}" if row.low == row.low else "–"),
            Cell(number(row.ours_unsupervised, 2, sign=True), value=row.ours_unsupervised),
            Cell(str(row.n_datasets), value=row.n_datasets),
        ]
        for row in data.itertuples()
    ]
    heads = ["over", "scope", "experiment", "metric", "printed", "published, same sets", "ours", "95 % interval"]
    scopes = "; ".join(f"{name}: {text}" for name, text in SCOPES.items())
    return Table(
        name="gains",
        title="All gains of PKO+HSC, %",
        caption=f"Average gains in percent. Scopes: {scopes}.",
        columns=[*heads, "ours, σ without labels", "datasets"],
        rows=body,
        data=data,
    )


def claim_table(claims: Sequence[Claim]) -> Table:
    """The verdicts."""
    columns = ["claim", "verdict", "finding", "criterion", "source"]
    rows = [
        [
            Cell(claim.title),
            Cell(claim.verdict, badge=claim.verdict),
            *map(Cell, (claim.finding, claim.criterion, claim.source)),
        ]
        for claim in claims
    ]
    data = pd.DataFrame([[c.name, c.title, str(c.verdict), c.finding, c.criterion, c.source] for c in claims])
    return Table(
        name="claims",
        title="The paper's claims",
        caption="The paper's claims and what our runs make of them.",
        columns=columns,
        rows=rows,
        data=data.set_axis(["name", *columns], axis=1),
        numeric=False,
    )


def dataset_table(evidence: Evidence) -> Table:
    """What was run on."""
    known = evidence.run.get("datasets", {})
    rows = []
    for name in evidence.datasets:
        facts, about = evidence.facts.loc[name], known.get(name, {})
        rows.append(
            [
                evidence.label(name),
                about.get("title"),
                facts["data_kind"],
                *(int(facts[column]) for column in ("n_samples", "n_features", "n_clusters")),
                *(about.get(key) for key in ("source", "version", "terms")),
            ]
        )
    columns = ["dataset", "title", "data", "N", "features", "K", "source", "version", "terms"]
    return Table(
        name="datasets",
        title="Datasets",
        caption="The datasets and where they come from.",
        columns=columns,
        rows=text_rows(rows),
        data=pd.DataFrame(rows, columns=columns),
        numeric=False,
    )


def selection_table(losses: pd.DataFrame) -> Table:
    """Both selection rules, side by side: algorithms × (experiment, metric)."""
    rows = losses[losses["metric"].isin(published.METRICS)]
    found = rows.set_index(["algorithm", "experiment", "metric"])
    pairs = [pair for pair in _pairs() if pair in set(zip(rows["experiment"], rows["metric"], strict=True))]
    body = []
    for algorithm in dict.fromkeys(rows["algorithm"]):
        line = [Cell(algorithm)]
        for key in ((algorithm, *pair) for pair in pairs):
            line.append(_loss_cell(found.loc[key]) if key in found.index else Cell("–"))
        edge = float(rows.loc[rows["algorithm"] == algorithm, "at_edge"].iloc[0])
        body.append([*line, Cell(f"{100 * edge:.0f} %", value=edge)])
    return Table(
        name="selection",
        title="Choosing σ with and without labels",
        caption="Means over all datasets run but stand-ins: with σ chosen with the labels, then without; below, what "
        "is lost, on average and on the worst dataset. Last: the share of all cells of these datasets whose best σ "
        "lies on the edge of the grid. Algorithms without a scale are left out.",
        columns=["algorithm", *map(_pair_label, pairs), "best σ at the edge"],
        rows=body,
        data=losses,
    )


def _loss_cell(row: pd.Series) -> Cell:
    lost, worst = (number(-row[column], sign=True) for column in ("loss", "largest_loss"))
    return Cell(
        f"{number(row['oracle'])} → {number(row['unsupervised'])}",
        value=float(row["loss"]),
        notes=(f"{lost}, worst {worst}",),
    )


def _pairs() -> list[tuple[str, str]]:
    return [(experiment, metric) for experiment in published.EXPERIMENTS for metric in published.METRICS]


def _pair_label(pair: tuple[str, str]) -> str:
    return f"{EXPERIMENT_NAMES[pair[0]]}, {METRIC_NAMES[pair[1]]}"


def scale_table(evidence: Evidence) -> Table:
    """The σ that each rule takes on the clean sets; the CSV has every cell."""
    summary = evidence.summary[evidence.summary["sigma_factor"].notna()]
    columns = [
        "dataset",
        "setting",
        "algorithm",
        "rule",
        "sigma_factor",
        "at_edge",
        "nmi_mean",
        "purity_mean",
        "repeats",
    ]
    data = summary[columns]
    clean = data[data["setting"] == "clean"].pivot(
        index="algorithm", columns=["dataset", "rule"], values=["sigma_factor", "at_edge"]
    )
    body = []
    for name in [name for name in evidence.algorithms if name in clean.index]:
        line = [Cell(name)]
        for dataset in [name for name in evidence.datasets if ("sigma_factor", name, "oracle") in clean]:
            parts = [
                number(clean.loc[name, ("sigma_factor", dataset, rule)], 1)
                + (" (edge)" if clean.loc[name, ("at_edge", dataset, rule)] == 1 else "")
                for rule in ("oracle", "unsupervised")
            ]
            line.append(Cell(parts[0], value=clean.loc[name, ("sigma_factor", dataset, "oracle")], notes=(parts[1],)))
        body.append(line)
    datasets = [name for name in evidence.datasets if ("sigma_factor", name, "oracle") in clean]
    return Table(
        name="sigma",
        title="The chosen σ",
        caption="σ/ρ chosen on the clean sets with the labels; below, without. An optimum on the edge of the grid is "
        "marked: a better one may lie beyond.",
        columns=["algorithm", *map(evidence.label, datasets)],
        rows=body,
        data=evidence.with_kind(data),
    )


def rank_table(rankings: Sequence[Ranking]) -> Table:
    """Mean ranks and Friedman's test."""
    names = list(dict.fromkeys(name for ranking in rankings for name in ranking.scores.columns))
    body, data = [], []
    for ranking in rankings:
        means = ranking.mean_ranks
        facts = [ranking.scope, EXPERIMENT_NAMES[ranking.experiment], METRIC_NAMES[ranking.metric]]
        p_value, difference = ranking.p_value, ranking.critical_difference
        lowest = means.min()
        body.append(
            [
                Cell(", ".join(facts[1:])),
                Cell(facts[0]),
                Cell(str(len(ranking.scores)), value=len(ranking.scores)),
                *(
                    Cell(number(means[name], 2), value=means[name], best=means[name] == lowest)
                    if name in means
                    else Cell("–")
                    for name in names
                ),
                Cell(f"{p_value:.2g}" if p_value == p_value else "–", value=p_value),
                Cell(number(difference, 2), value=difference),
            ]
        )
        data += [
            {
                "scope": ranking.scope,
                "experiment": ranking.experiment,
                "metric": ranking.metric,
                "datasets": " ".join(ranking.scores.index),
                "algorithm": name,
                "mean_rank": rank,
                "friedman_p": p_value,
                "critical_difference": difference,
            }
            for name, rank in means.items()
        ]
    return Table(
        name="ranks",
        title="Mean ranks",
        caption="Mean ranks over the datasets that all algorithms have, 1 is best; p of Friedman's test that all are "
        "alike; and the critical difference (Nemenyi): ranks closer than this cannot be told apart. Scopes: "
        + "; ".join(f"{name}: {text}" for name, text in ranks.SCOPES.items())
        + ".",
        columns=["experiment", "scope", "datasets", *names, "Friedman p", "critical difference"],
        rows=body,
        data=pd.DataFrame(data),
    )


def duel_table(duels: pd.DataFrame) -> Table:
    """Wins, ties and losses of PKO+HSC."""
    pairs = list(dict.fromkeys(duels[["experiment", "metric"]].itertuples(index=False, name=None)))
    found = duels.set_index(["competitor", "experiment", "metric"])
    body = []
    for competitor in dict.fromkeys(duels["competitor"]):
        line = [Cell(competitor)]
        for experiment, metric in pairs:
            key = (competitor, experiment, metric)
            if key in found.index:
                wins, ties, losses = found.loc[key, ["wins", "ties", "losses"]]
                line.append(Cell(f"{wins} / {ties} / {losses}", value=wins - losses))
            else:
                line.append(Cell("–"))
        body.append(line)
    return Table(
        name="duels",
        title="Wins / ties / losses of PKO+HSC",
        caption="Over the paper's comparable datasets; within 0.01 or two standard errors is a tie.",
        columns=["against", *map(_pair_label, pairs)],
        rows=body,
        data=duels,
    )


def cost_table(evidence: Evidence) -> Table:
    """Seconds and megabytes, algorithms × datasets by N."""
    data = seconds(evidence)
    sizes = data.groupby("dataset")["n_samples"].first().sort_values()
    found = data.set_index(["algorithm", "dataset"])
    body = []
    for name in [name for name in evidence.algorithms if name in set(data["algorithm"])]:
        line = [Cell(name)]
        for dataset in sizes.index:
            if (name, dataset) not in found.index:
                line.append(Cell("–"))
                continue
            row = found.loc[(name, dataset)]
            line.append(
                Cell(_duration(row["seconds"]), value=row["seconds"], notes=(f"{row['peak_bytes'] / 1e6:.0f} MB",))
            )
        body.append(line)
    return Table(
        name="cost",
        title="Time and peak memory of one clustering",
        caption="Mean over repeats and σ on the clean sets, failures left out; communities included, distances not. "
        "Memory is the peak of the process.",
        columns=["algorithm", *(f"{evidence.label(str(name))}, N = {size}" for name, size in sizes.items())],
        rows=body,
        data=evidence.with_kind(data),
    )


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.{1 if seconds < 0.01 else 0}f} ms"


def status_table(evidence: Evidence) -> Table:
    """How many clusterings ended how, by algorithm."""
    counts = pd.crosstab(evidence.table["algorithm"], evidence.table["status"])
    statuses = [str(status) for status in Status if status in counts]
    data = counts.loc[evidence.algorithms, statuses]
    return Table(
        name="statuses",
        title="How clusterings ended",
        caption="Number of clusterings, over datasets (stand-ins too), settings, repeats and σ, sweeps included.",
        columns=["algorithm", *statuses],
        rows=[
            [Cell(str(name)), *(Cell(str(count), value=int(count)) for count in line)]
            for name, line in zip(data.index, data.to_numpy(), strict=True)
        ],
        data=data.reset_index(),
    )


def failure_table(evidence: Evidence) -> Table:
    """Every cell with clusterings that failed, and a reason told; they count as 0."""
    return _status_list(
        evidence,
        set(FAILURES),
        "failures",
        "Clusterings that failed",
        "Per cell, over repeats and σ: each counts as 0.",
    )


def noted_table(evidence: Evidence) -> Table:
    """Every cell with clusterings that were degenerate or did not converge; they count with their labels."""
    return _status_list(
        evidence,
        {Status.DEGENERATE, Status.NOT_CONVERGED},
        "noted",
        "Clusterings that were degenerate or did not converge",
        "Per cell, over repeats and σ: each counts with the labels it returned.",
    )


def _status_list(evidence: Evidence, statuses: set[Status], name: str, title: str, caption: str) -> Table:
    rows = evidence.table[evidence.table["status"].isin(statuses)]
    keys = ["dataset", "setting", "algorithm", "sweep"]
    groups = rows.assign(message=rows["message"].fillna("")).groupby([*keys, "status"])
    data = groups.agg(clusterings=("repeat", "size"), message=("message", "max")).reset_index()
    data = data.join(evidence.table.groupby(keys).size().rename("of"), on=keys)
    body = [
        [
            Cell(row.status, badge=name),
            *map(Cell, (evidence.label(row.dataset), row.setting, row.algorithm, row.sweep or "–")),
            Cell(f"{row.clusterings} of {row.of}", value=row.clusterings),
            Cell(row.message or "–"),
        ]
        for row in data.itertuples()
    ]
    columns = ["status", "dataset", "setting", "algorithm", "sweep", "clusterings", "message"]
    return Table(name, title, caption, columns, body, evidence.with_kind(data), numeric=False)


def missing_table(evidence: Evidence) -> Table:
    """What was to be computed and is not there, or is of earlier data or of an earlier configuration."""
    cells = [[dataset, setting, algorithm, ""] for dataset, setting, algorithm in evidence.missing_cells]
    cells += [[dataset, "clean", published.METHOD, sweep] for dataset, sweep in evidence.missing_sweeps]
    data = pd.DataFrame(cells, columns=["dataset", "setting", "algorithm", "sweep"])
    reasons = [evidence.stale.get(cell, "") for cell in data.itertuples(index=False, name=None)]
    data["reason"] = [f"stale: {reason}" if reason else "not there" for reason in reasons]
    data = evidence.with_kind(data)
    # One line a dataset and algorithm: a benchmark just begun has hundreds of missing cells.
    shown = data.groupby(["dataset", "algorithm", "sweep", "reason"], sort=False)["setting"].agg(" ".join).reset_index()
    return Table(
        name="missing",
        title="Missing results",
        caption="Expected by the configuration, but not among the results; or there, but of data or of a configuration "
        "that have changed since, and not used.",
        columns=["dataset", "algorithm", "sweep", "settings", "reason"],
        rows=text_rows(
            [evidence.label(row.dataset), row.algorithm, row.sweep or "–", row.setting, row.reason]
            for row in shown.itertuples()
        ),
        data=data,
        numeric=False,
    )

"""Writes the results of an archive into README and docs: ``python -m hypercut.report.publication`` (make results).

A document has blocks between ``<!-- name -->`` and ``<!-- end of name -->``. Those of the template ``results.md`` are
replaced; everything else is written by hand.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pandas as pd

from hypercut.analysis.evidence import Evidence, present, table_scores
from hypercut.analysis.gains import average_gains
from hypercut.analysis.verdicts import Verdict
from hypercut.errors import InputError
from hypercut.files import atomic_write
from hypercut.report.findings import Findings, current_matrices, find
from hypercut.report.render.figure import CaptionedFigure, svg
from hypercut.report.render.page import environment
from hypercut.report.render.table import Cell, Table, grid_table, number, record_table, thousands
from hypercut.report.render.theme import theme
from hypercut.report.sections import curves, first_screen, gains, readings, sensitivity, weights
from hypercut.report.sections.what_was_run import computed_days
from hypercut.results.archive import SIMILARITY, read_archive


def publish(archive: Path, documents: Iterable[Path], pictures: Path) -> None:
    """Write the blocks of all documents, and the pictures that they show."""
    found = findings_of(archive)
    written = {path: with_blocks(path.read_text(encoding="utf-8"), found) for path in documents}
    pictures.mkdir(parents=True, exist_ok=True)
    with theme():
        matrices = current_matrices(found.evidence, archive / SIMILARITY)
        for figure in (*figures(found), *sensitivity.similarity_figure(found.evidence, matrices)):
            (pictures / f"{figure.name}.svg").write_text(svg(figure), encoding="utf-8")
    for path, text in written.items():
        with atomic_write(path) as part:
            part.write_text(text, encoding="utf-8")


def findings_of(archive: Path) -> Findings:
    """Return what the results of an archive say about the paper."""
    content = read_archive(archive)
    evidence = Evidence(content.table(), content.describe())
    similarity = archive / SIMILARITY
    return find(evidence, current_matrices(evidence, similarity if similarity.exists() else None))


def figures(found: Findings) -> Iterator[CaptionedFigure]:
    """Yield the pictures: gains, and the curves of NMI under noise and outliers."""
    yield from gains.gain_chart(found.gains, found.spans)
    for experiment in ("noise", "outlier"):
        yield from islice(curves.level_curves(found.evidence, experiment), 1)


def with_blocks(text: str, found: Findings) -> str:
    """Return a document with its blocks replaced; raise an error if it has none."""
    blocks = re.findall(r"<!-- ([\w ]+) -->\n(.*?)<!-- end of \1 -->", _rendered(found), flags=re.DOTALL)
    if not any(f"<!-- {name} -->" in text for name, _ in blocks):
        raise InputError(f"The document has none of the blocks {', '.join(name for name, _ in blocks)}.")
    for name, content in blocks:
        if f"<!-- {name} -->" in text:
            text = with_block(text, name, content)
    return text


def with_block(text: str, name: str, content: str) -> str:
    """Return a document with the content of one block replaced."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise InputError(f"The document needs one {begin.strip()} and, after it, one {end}.")
    return text[: text.index(begin) + len(begin)] + content.strip("\n") + "\n" + text[text.index(end) :]


def _rendered(found: Findings) -> str:
    """Return all blocks of the template."""
    evidence = found.evidence
    word, sentence = first_screen.answer(found.gains)
    verdicts = Counter(it.verdict for it in found.judged)
    expected = sum(len(evidence.run.get("expected", {}).get(kind, [])) for kind in ("cells", "variations"))
    text = (
        environment(autoescape=False)
        .get_template("results.md")
        .render(
            question=first_screen.QUESTION,
            word=word,
            sentence=sentence,
            verdicts=", ".join(f"{verdicts[it]} {it}" for it in Verdict if it in verdicts),
            nearest=readings.nearest_sentence(found.under),
            nearest_counts=first_screen.counts(found.nearest.gains) if found.nearest else "",
            label_free=first_screen.counts(average_gains(evidence, "unsupervised")),
            gains=gains.headline_table(found.gains),
            claims=claim_table(found),
            scores=score_table(evidence),
            weights=weights.tuned_table(evidence),
            competitors=gains.COMPETITORS_TEXT,
            linear=gains.LINEAR,
            results=expected,
            missing=len(evidence.missing),
            clusterings=thousands(len(evidence.table)),
            computed=computed_days(evidence),
            commit=str(evidence.run.get("commit") or "unknown")[:12],
        )
    )
    return re.sub(r"\n{3,}", "\n\n", text)


def claim_table(found: Findings) -> Table:
    """Return the claims with their verdicts: of all readings, as printed and in the nearest reading."""
    nearest = found.nearest.verdicts if found.nearest else {}
    rows = [[it.claim.title, it.verdict, it.as_printed, nearest.get(it.claim.name, "")] for it in found.judged]
    return record_table(
        "claims",
        "Claims",
        "",
        pd.DataFrame(rows, columns=["claim", "verdict", "as_printed", "nearest"]),
        {
            "claim": lambda it: it.claim,
            "verdict": lambda it: Cell(it.verdict, best=True),
            "as printed": lambda it: it.as_printed,
            "nearest reading": lambda it: it.nearest,
        },
    )


def score_table(evidence: Evidence) -> Table:
    """Return Table 1 in NMI: our scores, and the published ones in brackets."""
    data = table_scores(evidence, "clean", "nmi")
    data = data[data["role"] != "control"]
    best = data[data["competes"]].groupby("dataset")["ours"].max()
    cells = {
        (it.algorithm, it.dataset): Cell(
            number(it.ours, 3),
            notes=(number(it.published, 3),) if it.published == it.published else (),
            best=it.competes and it.ours == best[it.dataset],
        )
        for it in data.itertuples()
    }
    return grid_table(
        "scores",
        "Table 1, NMI",
        "",
        data,
        cells,
        corner="algorithm",
        rows={name: name for name in present(evidence.algorithms, data["algorithm"])},
        columns={name: evidence.label(name) for name in present(evidence.datasets, data["dataset"])},
    )


def main() -> None:
    """Write the blocks of documents."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m hypercut.report.publication")
    parser.add_argument("archive", type=Path, help="folder of archived results")
    parser.add_argument("documents", type=Path, nargs="+", help="Markdown files with blocks")
    parser.add_argument("--pictures", type=Path, default=Path("docs/images"), help="default: docs/images")
    args = parser.parse_args()
    publish(args.archive, args.documents, args.pictures)
    print(f"Written: {', '.join(map(str, args.documents))} and the pictures in {args.pictures}.")


if __name__ == "__main__":
    main()

"""Writes the results of an archive into README and docs: ``python -m hypercut.report.publication`` (make results).

A document has blocks between ``<!-- name -->`` and ``<!-- end of name -->``. Those of the template ``results.md`` are
replaced; everything else is written by hand.
"""

import argparse
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from hypercut.analysis.evidence import Evidence, present, table_scores
from hypercut.analysis.verdicts import Verdict
from hypercut.errors import InputError
from hypercut.files import atomic_write
from hypercut.paper import published
from hypercut.report.findings import Findings, current_matrices, find
from hypercut.report.render.figure import CaptionedFigure, svg
from hypercut.report.render.page import environment
from hypercut.report.render.table import Cell, Table, grid_table, is_same, number, thousands
from hypercut.report.render.theme import theme
from hypercut.report.sections import claims, first_screen, gains, sensitivity
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
    """Yield the pictures: the gains, and those published against ours."""
    yield from gains.gain_chart(found.gains, found.spans)
    yield from gains.gain_scatter(found.gains)


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
    word, sentence = first_screen.answer(evidence, found.gains)
    expected = sum(len(evidence.run.get("expected", {}).get(kind, [])) for kind in ("cells", "variations"))
    text = (
        environment(autoescape=False)
        .get_template("results.md")
        .render(
            question=first_screen.QUESTION,
            word=word,
            sentence=sentence,
            marks=MARKS,
            claims=[(it, claims.numbers_in_words(it), claims.command(evidence, it)) for it in found.judged],
            tables=[score_table(evidence, experiment) for experiment in published.EXPERIMENTS],
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


#: Verdicts in their order, each with its mark.
MARKS = {
    Verdict.CONFIRMED: "✔",
    Verdict.DEPENDS: "◐",
    Verdict.UNDECIDED: "○",
    Verdict.CONTRADICTED: "✘",
    Verdict.UNTESTABLE: "–",
}


def score_table(evidence: Evidence, experiment: str) -> Table:
    """Return Table 1, 3 or 4 in NMI, for the paper's algorithms: our score / the published one, the best in bold."""
    data = table_scores(evidence, experiment, "nmi")
    data = data[data["algorithm"].isin(published.ALGORITHMS) & data["published"].notna()]
    best = data.groupby("dataset")["ours"].max()
    cells = {}
    for it in data.itertuples():
        ours = number(it.ours, 3)
        shown = f"**{ours}**" if is_same(it.ours, best[it.dataset]) else ours
        cells[it.algorithm, it.dataset] = Cell(f"{shown}/{number(it.published, 3)}")
    return grid_table(
        f"scores-{experiment}",
        f"Table {published.EXPERIMENTS[experiment]}",
        "",
        data,
        cells,
        corner="NMI",
        rows={name: name for name in present(published.ALGORITHMS, data["algorithm"])},
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

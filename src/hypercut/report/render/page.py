"""The two pages of the report, each of which needs no other file: the answer, and the appendix."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, save_figure
from hypercut.report.render.table import Table

#: The page that begins with the answer, and the one with everything else.
INDEX, APPENDIX = "index.html", "appendix.html"

Item = Table | CaptionedFigure


@dataclass(frozen=True)
class Section:
    """A section of the page. Tables without rows are left out, and so is a section that has nothing to show."""

    name: str
    title: str
    paragraphs: Sequence[str] = ()
    tables: Iterable[Table] = ()
    figures: Iterable[CaptionedFigure] = ()
    tabs: Iterable[Item] = ()
    """of which one is shown at a time"""
    more: Iterable[Item] = ()
    """what is folded"""
    claims: Sequence[Any] = ()
    """see :class:`hypercut.report.sections.claims.Claim`"""
    untested: Sequence[Any] = ()
    """claims that are folded"""
    remarks: Sequence[str] = ()
    listing: str = ""
    """a long text that is folded"""


def save_section(section: Section, folder: Path) -> Section:
    """Write the tables and figures of a section, and return it as the page shows it."""
    return replace(
        section,
        tables=_saved(section.tables, folder),
        figures=_saved(section.figures, folder),
        tabs=_saved(section.tabs, folder),
        more=_saved(section.more, folder),
    )


def _saved(items: Iterable[Item], folder: Path) -> list[Any]:
    return [
        save_table(item, folder) if isinstance(item, Table) else save_figure(item, folder / "figures")
        for item in items
        if not isinstance(item, Table) or item.rows
    ]


def save_table(table: Table, folder: Path) -> Table:
    """Write a table as CSV and LaTeX, and return it."""
    (folder / "tables" / f"{table.name}.csv").write_text(table.csv(), encoding="utf-8")
    (folder / "tables" / f"{table.name}.tex").write_text(table.latex(), encoding="utf-8")
    return table


def environment(*, autoescape: bool) -> Environment:
    """Return the templates of the page and of the documents."""
    return Environment(
        loader=PackageLoader("hypercut.report.render", "template"),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(pages: Mapping[str, Sequence[Section]], first_screen: Mapping[str, Any]) -> dict[str, str]:
    """Return the files of the report, each with its sections, as HTML."""
    templates = environment(autoescape=True)
    style, script = (templates.get_template(name).render(palette=palette) for name in ("page.css", "page.js"))
    shown = {
        file: [it for it in sections if it.tables or it.tabs or it.figures or it.more or it.claims or it.untested]
        for file, sections in pages.items()
    }
    facts = {
        "style": Markup(style),  # ours, and needs no escaping
        "script": Markup(script),
        "pages": shown,
        "file_of": {"answer": INDEX, "appendix": APPENDIX}
        | {section.name: file for file, sections in shown.items() for section in sections},
        "index": INDEX,
        **first_screen,
    }
    return {file: templates.get_template("page.html").render(file=file, **facts) for file in pages}

"""The page: the whole report in one HTML file that needs no other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, save_figures
from hypercut.report.render.table import Table


@dataclass(frozen=True)
class Section:
    """A section of the page. Tables without rows are left out, and so is a section that has nothing to show."""

    name: str
    title: str
    paragraphs: Sequence[str] = ()
    tables: Iterable[Table] = ()
    figures: Iterable[CaptionedFigure] = ()
    tabs: Iterable[Table] = ()
    """tables of which one is shown at a time"""
    more: Iterable[Table] = ()
    """tables that are folded"""
    claims: Sequence[Any] = ()
    """see :class:`hypercut.report.sections.claims.Claim`"""
    undecided: Sequence[Any] = ()
    """claims that are folded"""
    facts: Sequence[tuple[str, str]] = ()
    """names and texts"""
    remarks: Sequence[str] = ()
    listing: str = ""
    """a long text that is folded"""


def save_section(section: Section, folder: Path) -> Section:
    """Write the tables and figures of a section, and return it as the page shows it."""
    return replace(
        section,
        figures=save_figures(section.figures, folder / "figures"),
        tables=[save_table(table, folder) for table in section.tables if table.rows],
        tabs=[save_table(table, folder) for table in section.tabs if table.rows],
        more=[save_table(table, folder) for table in section.more if table.rows],
    )


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


def render(sections: Sequence[Section], first_screen: dict[str, Any]) -> str:
    """Return the page."""
    templates = environment(autoescape=True)
    style, script = (templates.get_template(name).render(palette=palette) for name in ("page.css", "page.js"))
    return templates.get_template("page.html").render(
        style=Markup(style),  # ours, and needs no escaping
        script=Markup(script),
        sections=[it for it in sections if it.tables or it.tabs or it.figures or it.more or it.claims or it.undecided],
        **first_screen,
    )

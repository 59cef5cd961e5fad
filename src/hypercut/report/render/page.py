"""The page: the whole report in one HTML file that needs no other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure
from hypercut.report.render.table import Table


@dataclass(frozen=True)
class Section:
    """A section of the page. Tables without rows are left out."""

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
    optional: bool = False
    """whether it is left out if it has no tables or figures"""


def save_section(section: Section, folder: Path) -> Section:
    """Write the tables of a section, and return it as the page shows it; figures are written apart."""
    return replace(
        section,
        tables=[save_table(table, folder) for table in section.tables if table.rows],
        tabs=[save_table(table, folder) for table in section.tabs if table.rows],
        more=[save_table(table, folder) for table in section.more if table.rows],
    )


def save_table(table: Table, folder: Path) -> Table:
    """Write a table as CSV and LaTeX, and return it."""
    (folder / "tables" / f"{table.name}.csv").write_text(table.csv(), encoding="utf-8")
    (folder / "tables" / f"{table.name}.tex").write_text(table.latex(), encoding="utf-8")
    return table


def render(sections: Sequence[Section], first_screen: dict[str, Any]) -> str:
    """Return the page."""
    environment = Environment(
        loader=PackageLoader("hypercut.report.render", "template"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style, script = (environment.get_template(name).render(palette=palette) for name in ("page.css", "page.js"))
    return environment.get_template("page.html").render(
        style=Markup(style),  # ours, and needs no escaping
        script=Markup(script),
        sections=[it for it in sections if it.tables or it.tabs or it.figures or not it.optional],
        **first_screen,
    )

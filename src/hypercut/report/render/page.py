"""The page: the whole report in one HTML file that needs no other."""

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, png, svg
from hypercut.report.render.table import Table


@dataclass(frozen=True)
class SavedFigure:
    """The image and the texts of a figure. The figure itself is released: fifty of them would fill the memory."""

    name: str
    title: str
    caption: str
    alt: str
    wide: bool
    svg: bytes

    @property
    def source(self) -> str:
        """The image as a data URL. Inline SVGs would not do: their identifiers clash."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode("ascii")


@dataclass(frozen=True)
class Section:
    """A section of the page. Tables without rows are left out."""

    name: str
    title: str
    paragraphs: Sequence[str] = ()
    tables: Iterable[Table] = ()
    figures: Iterable[CaptionedFigure | SavedFigure] = ()
    more: Iterable[Table] = ()
    """tables that are folded"""
    claims: Sequence[Any] = ()
    """see :class:`hypercut.report.sections.claims.Claim`"""
    listing: str = ""
    """a long text that is folded"""
    optional: bool = False
    """whether it is left out if it has no tables or figures"""

    @property
    def is_shown(self) -> bool:
        """Whether the page has it."""
        return bool(self.tables or self.figures or not self.optional)


def save_section(section: Section, folder: Path) -> Section:
    """Write the tables and figures of a section, one figure at a time, and return what the page shows."""
    return replace(
        section,
        tables=[save_table(table, folder) for table in section.tables if table.rows],
        figures=[_save_figure(it, folder) for it in section.figures if isinstance(it, CaptionedFigure)],
        more=[save_table(table, folder) for table in section.more if table.rows],
    )


def save_table(table: Table, folder: Path) -> Table:
    """Write a table as CSV and LaTeX, and return it."""
    (folder / "tables").mkdir(exist_ok=True)
    (folder / "tables" / f"{table.name}.csv").write_text(table.csv(), encoding="utf-8")
    (folder / "tables" / f"{table.name}.tex").write_text(table.latex(), encoding="utf-8")
    return table


def _save_figure(it: CaptionedFigure, folder: Path) -> SavedFigure:
    (folder / "figures").mkdir(exist_ok=True)
    vector = svg(it.figure)
    (folder / "figures" / f"{it.name}.svg").write_bytes(vector)
    (folder / "figures" / f"{it.name}.png").write_bytes(png(it.figure))
    return SavedFigure(it.name, it.title, it.caption, it.alt, it.wide, vector)


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
        sections=sections,
        **first_screen,
    )

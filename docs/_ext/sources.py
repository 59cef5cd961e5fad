"""Pages from their sources: the readings of the paper, the help of the commands, links to the gallery."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from hypercut.cli import build_parser
from hypercut.paper.readings import decisions, readings

WIDTH = "96"
"""columns of a help text, which fit into a page"""


GALLERY = re.compile(r"\]\([./]*examples/gallery/(\w+)\.\w+\)")
"""a link to an example, which leads to its source in the repository and to its page in the site"""


FETCHED = re.compile(r"<(?:script|img|iframe)[^>]* src=.https?:|<link[^>]* rel=.stylesheet[^>]* href=.https?:")
"""what a browser would load from the network"""


class Readings(SphinxDirective):
    """The decisions that the paper leaves open, each with its alternatives, from ``paper/readings.toml``."""

    def run(self) -> list[nodes.Node]:
        """Return a rubric, what the paper says, and a table for every decision."""
        lines: list[str] = []
        for decision in decisions().values():
            lines += [f"**{decision.title}**", "", f"The paper: {decision.says}", "", f"Ours: {decision.default}.", ""]
            lines += ["| reading | instead | kind | because |", "|---|---|---|---|"]
            lines += [
                f"| `{reading.name}` | {reading.alternative} | {reading.kind} | {reading.why} |"
                for reading in readings().values()
                if reading.decision == decision.name
            ]
            lines.append("")
        return self.parse_text_to_nodes("\n".join(lines))


class Commands(SphinxDirective):
    """The help text of every command and of the actions of a command, as argparse prints it."""

    def run(self) -> list[nodes.Node]:
        """Return a section per command."""
        lines: list[str] = []
        with mock.patch.dict(os.environ, COLUMNS=WIDTH):
            for name, parser in _commands(build_parser()):
                parser.color = False  # which Python 3.14 adds
                text = parser.format_help().rstrip()
                lines += ["#" * (1 + len(name.split())) + f" {name}", "", "```text", text, "```", ""]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def _commands(parser: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the commands below a parser by name, each followed by its actions."""
    for action in parser._actions:
        if isinstance(action.choices, dict):
            for word, command in action.choices.items():
                full = f"{name} {word}".strip()
                yield full, command
                yield from _commands(command, full)


def link_examples(app: Sphinx, page: str, source: list[str]) -> None:
    """Let links to the sources of examples lead to their pages."""

    def address(link: re.Match[str]) -> str:
        return f"](/gallery/{'index' if link[1] == 'GALLERY_HEADER' else link[1]}.rst)"

    source[0] = GALLERY.sub(address, source[0])


def refuse_network(app: Sphinx, error: Exception | None) -> None:
    """Raise an error if a page needs the network to look right."""
    if error is None:
        built = [Path(app.outdir, f"{page}.html") for page in app.env.found_docs]
        pages = [page for page in built if FETCHED.search(page.read_text(encoding="utf-8"))]
        if pages:
            raise ExtensionError(f"Pages that load files from the network: {', '.join(map(str, pages))}")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("readings", Readings)
    app.add_directive("commands", Commands)
    app.connect("source-read", link_examples)
    app.connect("build-finished", refuse_network)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""matplotlib's SVG, for the page and for files.

The page has each panel as an inline SVG with the texts that it shows on hover. Colours become CSS variables
there, and a style for dark mode is added to files, so that figures are readable on light and on dark backgrounds.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from hypercut.report.render import palette

_VARIABLES = {light.lower(): f"var({palette.variable(light)})" for light in palette.DARK}
_COLOR = re.compile("#[0-9a-f]{6}")
_FAMILY = re.compile(r"font-family: [^;\"]*; ")
_NO_ROTATION = re.compile(r' transform="rotate\(-0 [\d. -]+\)"')
_LINK = "{http://www.w3.org/1999/xlink}href"


@dataclass(frozen=True)
class Panel:
    """A part of a figure: its box (x, y, width, height in points), title, and the dataset that it shows."""

    box: tuple[float, float, float, float]
    title: str
    dataset: str = ""


@dataclass(frozen=True)
class Series:
    """Marks that belong together: the name in the legend, and the text on hover of each mark."""

    name: str
    tips: Sequence[str] = field(default_factory=list)


def standalone(text: str) -> str:
    """Return the SVG of a file: its colours change in a viewer with a dark background."""
    used = sorted({found for found in _COLOR.findall(text) if found in _VARIABLES})
    dark = {light.lower(): color.lower() for light, color in palette.DARK.items()}
    rules = [
        f'[style*="{what}: {color}"]{{{what}:{dark[color]} !important}}'
        for color in used
        for what in ("fill", "stroke")
    ]
    style = f"<style>@media (prefers-color-scheme: dark) {{{''.join(rules)}}}</style>"
    head, tag, rest = text.partition("<defs>")
    return f"{head}{style}{tag}{rest}"


def split(text: str, name: str, panels: Sequence[Panel], series: Mapping[str, Series]) -> str:
    """Return the panels of a figure as inline SVGs, after one that holds the shapes they share."""
    root = ElementTree.fromstring(text)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.text, element.tail = (part if part and part.strip() else None for part in (element.text, element.tail))
    shared = _shared_definitions(root)
    groups: dict[int, list[Element]] = {number: [] for number in range(len(panels))}
    for group in root.iter("g"):
        found = re.fullmatch(r"panel(\d+)-\d", group.get("id", ""))
        if found:
            groups[int(found[1])].append(group)
    for element in root.iter():
        _name(element, series)
    parts = [Element("svg", {"class": "shared", "width": "0", "height": "0", "aria-hidden": "true"})]
    parts[0].append(shared)
    for number, panel in enumerate(panels):
        x, y, width, height = panel.box
        facts = {"class": "panel", "viewBox": f"{x:g} {y:g} {width:g} {height:g}", "role": "img"}
        facts["style"] = f"--width: {width * 4 / 3:.0f}px"
        facts |= {"data-dataset": panel.dataset} if panel.dataset else {}
        facts["aria-label"] = panel.title
        part = Element("svg", facts)
        part.extend(groups[number])
        parts.append(part)
    found_text = "\n".join(ElementTree.tostring(part, encoding="unicode") for part in parts)
    found_text = _COLOR.sub(lambda match: _VARIABLES.get(match.group(), match.group()), found_text)
    found_text = _NO_ROTATION.sub("", _FAMILY.sub("", found_text))  # the page's font
    return found_text.replace("#ID-", f"#{name}-").replace('"ID-', f'"{name}-')


def _shared_definitions(root: Element) -> Element:
    """Take all definitions out of the figure; a panel may use those of another one, which may be hidden."""
    shared = Element("defs")
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == "defs":
                parent.remove(child)
                shared.extend(it for it in child if it.tag != "style")
    for element in [*shared.iter(), *root.iter()]:
        if element.tag in ("path", "clipPath", "use", "image") or element.get("clip-path"):
            link = element.attrib.pop(_LINK, None)
            if link and element.tag == "image":
                element.set("href", link)
            elif link:
                element.set("href", link.replace("#", "#ID-"))
            if element.get("clip-path"):
                element.set("clip-path", element.get("clip-path", "").replace("#", "#ID-"))
    for element in shared:
        if element.get("id"):
            element.set("id", f"ID-{element.get('id')}")
    return shared


def _name(element: Element, series: Mapping[str, Series]) -> None:
    """Mark the group of a series and add its texts; drop the other identifiers, which would not be unique."""
    identifier = element.get("id", "")
    if not identifier.startswith("ID-"):
        element.attrib.pop("id", None)
    found = series.get(identifier)
    if found is None:
        return
    if found.name:
        element.set("data-series", found.name)
    marks = [it for it in element.iter() if it.tag == "use"] or [it for it in element.iter() if it.tag == "path"]
    if found.tips and len(marks) != len(found.tips):
        raise ValueError(f"{found.name or identifier}: {len(found.tips)} texts for {len(marks)} marks")
    for it, tip in zip(marks, found.tips, strict=False):
        if tip:
            ElementTree.SubElement(it, "title").text = tip


#: Marker → the path of its symbol in a box of 12 × 12 around the origin.
_SYMBOLS = {
    "o": "M4 0A4 4 0 1 1 -4 0A4 4 0 1 1 4 0Z",
    "s": "M-3.5 -3.5H3.5V3.5H-3.5Z",
    "^": "M0 -4L4 3.5H-4Z",
    "v": "M0 4L4 -3.5H-4Z",
    "<": "M-4 0L3.5 4V-4Z",
    ">": "M4 0L-3.5 4V-4Z",
    "D": "M0 -4.5L4.5 0L0 4.5L-4.5 0Z",
    "d": "M0 -4.5L3 0L0 4.5L-3 0Z",
    "P": "M-1.5 -4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z",
    "X": "M-4 -2L-2 -4L0 -2L2 -4L4 -2L2 0L4 2L2 4L0 2L-2 4L-4 2L-2 0Z",
    "*": "M0 -5L1.2 -1.6H4.8L1.9 0.6L3 4L0 2L-3 4L-1.9 0.6L-4.8 -1.6H-1.2Z",
    "p": "M0 -4.5L4.3 -1.4L2.6 3.6H-2.6L-4.3 -1.4Z",
    "h": "M0 -4.5L3.9 -2.2V2.2L0 4.5L-3.9 2.2V-2.2Z",
    "H": "M-4.5 0L-2.2 -3.9H2.2L4.5 0L2.2 3.9H-2.2Z",
    "8": "M-1.8 -4.2H1.8L4.2 -1.8V1.8L1.8 4.2H-1.8L-4.2 1.8V-1.8Z",
    "1": "M0 0V4.5M0 0L-4 -2.5M0 0L4 -2.5",
    "2": "M0 0V-4.5M0 0L-4 2.5M0 0L4 2.5",
    "3": "M0 0H-4.5M0 0L2.5 -4M0 0L2.5 4",
    "4": "M0 0H4.5M0 0L-2.5 -4M0 0L-2.5 4",
    "|": "M0 -5V5",
}
_DASHES = {"--": "4 2", ":": "1 2", "-.": "5 2 1 2"}


def swatch(style: Mapping[str, Any]) -> str:
    """Return the line and marker of a legend's entry as a small inline SVG."""
    color = f"var({palette.variable(style['color'])})"
    parts = []
    if style.get("ls", "-"):
        dashes = f' stroke-dasharray="{_DASHES[style["ls"]]}"' if style.get("ls") in _DASHES else ""
        width, opacity = min(float(style.get("lw", 1.2)), 8.0), style.get("alpha", 1)
        parts.append(f'<path d="M-11 0H11" stroke="{color}" stroke-width="{width}" opacity="{opacity}"{dashes}/>')
    if style.get("marker") in _SYMBOLS:
        face = style.get("mfc", style["color"])
        fill = face if face == "none" else f"var({palette.variable(face)})"
        parts.append(f'<path d="{_SYMBOLS[style["marker"]]}" fill="{escape(fill)}" stroke="{color}"/>')
    return f'<svg viewBox="-12 -6 24 12" width="24" height="12" aria-hidden="true">{"".join(parts)}</svg>'

"""Figures on the page: panels, series, texts on hover, and colours that suit a dark background."""

import re
from io import StringIO

import pytest

from hypercut.report.render import palette, svg
from hypercut.report.render.figure import Panels, algorithm_styles, mark
from hypercut.report.render.theme import theme


def drawn(panels: Panels) -> str:
    text = StringIO()
    with theme():
        panels.figure.savefig(text, format="svg")
    return text.getvalue()


def figure() -> Panels:
    with theme():
        panels = Panels(2, 2, keys=[mark("o", "a & b", palette.BLUE)])
        for dataset in ("ORL", "Iris <2>"):
            ax = panels.add(dataset, dataset=dataset)
            (line,) = ax.plot([1, 2, 3], [0.1, 0.2, 0.3], marker="o", color=palette.BLUE)
            panels.name(line, "a & b", ["first", "", "third < 4"])
    return panels


def inline(panels: Panels) -> str:
    return svg.split(drawn(panels), "name", panels.panels, panels.series)


def test_every_panel_is_a_picture_with_its_dataset_and_its_part_of_the_figure() -> None:
    panels = re.findall(r'<svg class="panel" viewBox="([^"]+)"[^>]*data-dataset="([^"]+)"', inline(figure()))
    assert panels == [("0 0 252 180", "ORL"), ("252 0 252 180", "Iris &lt;2&gt;")]


def test_marks_have_their_texts_and_lines_their_series() -> None:
    text = inline(figure())
    assert text.count('data-series="a &amp; b"') == 2
    assert re.findall("<title>(.*?)</title>", text) == 2 * ["first", "third &lt; 4"]


def test_identifiers_are_of_this_figure_and_all_links_lead_to_them() -> None:
    text = inline(figure())
    identifiers = re.findall(r' id="([^"]+)"', text)
    assert len(identifiers) == len(set(identifiers))
    assert all(name.startswith("name-") for name in identifiers)
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', text)) <= set(identifiers)


def test_colours_are_variables_on_the_page_and_literal_in_files() -> None:
    text = drawn(figure())
    assert f"var({palette.variable(palette.BLUE)})" in inline(figure())
    assert palette.BLUE.lower() not in inline(figure())
    file = svg.standalone(text)
    assert f"stroke: {palette.BLUE.lower()}" in file
    assert f"stroke:{palette.DARK[palette.BLUE].lower()} !important" in file


def test_text_is_text_in_the_font_of_the_page() -> None:
    assert re.search(r"<text[^>]*>ORL</text>", inline(figure()))
    assert "font-family" not in inline(figure())


def test_texts_that_do_not_fit_the_marks_are_an_error() -> None:
    panels = figure()
    panels.series["series0"] = svg.Series("a & b", ["one"])
    with pytest.raises(ValueError, match="1 texts for 3 marks"):
        inline(panels)


def test_every_colour_has_a_counterpart_on_dark_pages() -> None:
    colors = {value for name, value in vars(palette).items() if name.isupper() and isinstance(value, str)}
    assert colors | set(palette.GREYS) | set(palette.SERIES) <= {*palette.DARK, palette.ON_LIGHT, palette.ON_DARK}
    assert len(set(palette.DARK.values())) == len(palette.DARK)


def contrast(one: str, other: str) -> float:
    """The contrast of WCAG 2."""
    values = []
    for color in (one, other):
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        values.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(values) + 0.05) / (min(values) + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_lines_of_all_algorithms_are_visible(dark: bool) -> None:
    roles = {**dict.fromkeys(("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC", "CSC", "NRSC", "RWDSM", "STSC"), "algorithm")}
    roles |= {f"mine{i}": "algorithm" for i in range(6)} | {"AK+NC": "beyond", "AK+NC without K": "beyond"}
    back = palette.DARK[palette.BACK] if dark else palette.BACK
    for name, style in algorithm_styles(roles).items():
        color = palette.DARK[style["color"]] if dark else style["color"]
        assert contrast(color, back) >= (4.5 if dark else 2), name


def test_legends_have_a_symbol_for_every_marker() -> None:
    roles = {f"{role}{i}": role for role in ("algorithm", "beyond", "reference", "control") for i in range(6)}
    for style in algorithm_styles({**roles, "PKO+HSC": "algorithm", "STSC": "algorithm"}).values():
        assert svg.swatch(style).count("<path") == 2

"""The plot of ``hypercut cluster``: a picture, or a page with the summary that needs no other file."""

import base64
import html
import io
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd

from hypercut import plot
from hypercut.errors import InputError
from hypercut.files import atomic_write
from hypercut.report.render.theme import ON_PAPER, theme

if TYPE_CHECKING:
    from hypercut.algorithms import Estimator
    from hypercut.data.tables import Table

#: Explains :func:`hypercut.plot.k_profile`.
_EVIDENCE = (
    "Evidence for K. Dots: mutual information between the clusters of neighbouring samples, from 0 (none) to 1 (the "
    "largest possible). Bars: the factor by which a random walk leaves K clusters more slowly than K + 1; above the "
    "dashed line they are separate parts."
)
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 0 auto; padding: 1rem; }}
h1 {{ font-size: 1.5rem; line-height: 1.2; overflow-wrap: anywhere; }}
div {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; margin-bottom: 1rem; }}
img {{ width: 100%; max-width: 45rem; margin: auto; background: white; border-radius: .5rem; }}
dl {{ display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; }}
dt {{ opacity: .7; }}
dd {{ margin: 0; overflow-wrap: anywhere; }}
@media (max-width: 40rem) {{ dl {{ display: block; }} dd {{ margin-bottom: .5rem; }} }}
</style>
</head>
<body>
<h1>{title}</h1>
<div>
{pictures}
</div>
<div>
{details}
</div>
{legend}
<dl>
{facts}
</dl>
{remarks}
</body>
</html>
"""


def write_plot(
    path: Path, estimator: "Estimator", table: "Table", name: str, facts: dict[str, str], remarks: list[str]
) -> None:
    """Draw the clustering; on failure, leave no file behind."""
    mpl.use("Agg")  # files need no screen
    # A data frame shares the memory of the array, and names the features.
    X = pd.DataFrame(table.X, columns=table.columns, copy=False)
    suffix = path.suffix.lower()
    try:
        with atomic_write(path) as part:
            if suffix == ".html":
                part.write_text(_page(estimator, X, name, facts, remarks), encoding="utf-8")
            else:
                plot.overview(estimator, X).savefig(part, format=suffix[1:], dpi=150)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}.") from None
    finally:
        plt.close("all")


def _page(estimator: "Estimator", X: pd.DataFrame, name: str, facts: dict[str, str], remarks: list[str]) -> str:
    clusters = facts["clusters"].partition(",")[0]
    return _PAGE.format(
        title=html.escape(f"{name}: {clusters} clusters"),
        pictures="\n".join(_image(draw, (6.5, 5.2)) for draw in plot.pictures(estimator, X)),
        details="\n".join(_image(draw, (5, 3.2)) for draw in plot.details(estimator)),
        legend=f"<p>{_EVIDENCE}</p>" if hasattr(estimator, "k_profile_") else "",
        facts="\n".join(f"<dt>{html.escape(term)}</dt><dd>{html.escape(text)}</dd>" for term, text in facts.items()),
        remarks="\n".join(f"<p>{html.escape(remark)}</p>" for remark in remarks),
    )


def _image(draw: plot.Drawing, size: tuple[float, float]) -> str:
    """Return a drawing as an image element that holds its data."""
    with theme(**ON_PAPER):
        figure, ax = plt.subplots(figsize=size, layout="constrained")
        title = draw(ax).get_title()
        image = io.BytesIO()
        figure.savefig(image, format="svg", dpi=150)
    data = base64.b64encode(image.getvalue()).decode("ascii")
    return f'<img alt="{html.escape(title)}" src="data:image/svg+xml;base64,{data}">'

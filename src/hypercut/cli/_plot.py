"""The plot of ``hypercut cluster``: a picture, or a page with the summary that needs no other file."""

import html
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd

from hypercut import plot
from hypercut.files import atomic_write, explain_write_errors

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
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 0 auto; padding: 1rem; }}
h1, dd {{ overflow-wrap: anywhere; }}
svg {{ width: 100%; height: auto; }}
dt {{ float: left; clear: left; width: 7rem; opacity: .7; }}
dd {{ margin-left: 7rem; }}
</style>
<h1>{title}</h1>
{picture}
{legend}
<dl>
{facts}
</dl>
{remarks}
</html>
"""


def write_plot(
    path: Path, estimator: "Estimator", table: "Table", name: str, facts: dict[str, str], remarks: list[str]
) -> None:
    """Draw the clustering; on failure, leave no file behind."""
    mpl.use("Agg")  # files need no screen
    # A data frame shares the memory of the array, and names the features.
    figure = plot.overview(estimator, pd.DataFrame(table.X, columns=table.columns, copy=False))
    suffix = path.suffix.lower().removeprefix(".")
    picture = io.BytesIO()
    figure.savefig(picture, format="svg" if suffix == "html" else suffix, dpi=150)
    plt.close(figure)
    content = picture.getvalue()
    if suffix == "html":
        svg = re.sub(r"^.*?(?=<svg)", "", content.decode(), flags=re.DOTALL)  # without its prolog
        content = _page(svg, estimator, name, facts, remarks).encode()
    with explain_write_errors(path.parent), atomic_write(path) as part:
        part.write_bytes(content)


def _page(picture: str, estimator: "Estimator", name: str, facts: dict[str, str], remarks: list[str]) -> str:
    clusters = facts["clusters"].partition(",")[0]
    return _PAGE.format(
        title=html.escape(f"{name}: {clusters} clusters"),
        picture=picture,
        legend=f"<p>{_EVIDENCE}</p>" if hasattr(estimator, "k_profile_") else "",
        facts="\n".join(f"<dt>{html.escape(term)}</dt><dd>{html.escape(text)}</dd>" for term, text in facts.items()),
        remarks="\n".join(f"<p>{html.escape(remark)}</p>" for remark in remarks),
    )

"""The plot of ``hypercut cluster``: a picture, or a self-contained page with the picture and the summary."""

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
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: auto; }}
svg {{ width: 100%; height: auto; }}
pre {{ font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 7rem; }}
</style>
<h1>{title}</h1>
{picture}
<pre>{text}</pre>
</html>
"""


def write_plot(
    path: Path, estimator: "Estimator", table: "Table", name: str, facts: dict[str, str], remarks: list[str]
) -> None:
    """Draw the clustering to a file; on failure, no file is left behind."""
    mpl.use("Agg")  # files need no screen
    # A data frame shares the memory of the array, and names the features.
    figure = plot.overview(estimator, pd.DataFrame(table.X, columns=table.columns, copy=False))
    suffix = path.suffix.lower().removeprefix(".")
    picture = io.BytesIO()
    figure.savefig(picture, format="svg" if suffix == "html" else suffix, dpi=150)
    plt.close(figure)
    content = picture.getvalue()
    if suffix == "html":
        legend = [_EVIDENCE] if hasattr(estimator, "k_profile_") else []
        lines = [*legend, "", *(f"{fact}\t{value}" for fact, value in facts.items()), "", *remarks]
        content = _PAGE.format(
            title=html.escape(f"{name}: {facts['clusters'].partition(',')[0]} clusters"),
            picture=re.sub(r"^.*?(?=<svg)", "", content.decode(), flags=re.DOTALL),  # without its prolog
            text=html.escape("\n".join(lines)),
        ).encode()
    with explain_write_errors(path.parent), atomic_write(path) as part:
        part.write_bytes(content)

"""The documentation site: ``make docs`` builds it into docs/_build/html, without any network."""

import os
import sys
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS / "_ext"))
sys.path.insert(0, str(ROOT / "src"))
# The examples start programs that import hypercut: from this checkout too.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))

from hypercut import __version__  # noqa: E402

project = "hypercut"
author = "the hypercut authors"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sources",
]
exclude_patterns = ["_build", "gallery/*.ipynb", "gallery/*.py", "gallery/GALLERY_HEADER.rst"]
templates_path = ["_templates"]
nitpicky = True

# Markdown
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist"]
myst_heading_anchors = 3
# Code blocks without a language are commands and file trees.
highlight_language = "text"

# API reference
autodoc_typehints = "none"
# Short enough for the table of contents beside the page.
toc_object_entries_show_parents = "hide"
autodoc_default_options = {"member-order": "bysource"}
autosummary_generate = True
# The sections Parameters and Attributes of the docstrings list the members; numpydoc need not.
numpydoc_show_class_members = False
nitpick_ignore_regex = [
    # Modules and classes for maintainers, which have no page: docstrings name them all the same.
    ("py:.*", r"hypercut\.(core|benchmark|run|results|analysis|data|report)\..*"),
    ("py:.*", r"(Samples|Selected|Similarity|InputError|NEIGHBORS)"),
    # Other libraries: their inventories would be downloaded.
    ("py:class", r"(collections|matplotlib|numpy|sklearn|pandas)\..*"),
    # numpydoc links attributes that are properties.
    ("py:obj", "probabilities_"),
]

# Gallery
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    # Its table would load scripts from the network.
    "write_computation_times": False,
    "min_reported_time": 1,
    "thumbnail_size": (520, 300),
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("hypercut",),
}

# Pages
html_theme = "pydata_sphinx_theme"
html_title = "hypercut"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "logo": {"text": "hypercut"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["release"],
    "footer_center": [],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": [], "protocol": [], "results": [], "limitations": [], "glossary": []}

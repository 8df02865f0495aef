from xclare.version import __version__

project = "xclare"
author = "The xclare developers"
copyright = "2026, The xclare developers"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
html_theme = "alabaster"
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "signature"

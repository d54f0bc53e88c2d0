"""Drawings of a graph, with the user's source lines: SVG, HTML, DOT and JSON.

``picture.py`` decides what is shown, ``layout.py`` where; the others only write it down.
"""

from hcfg.draw.dot import to_dot
from hcfg.draw.html import to_html
from hcfg.draw.json_text import to_json
from hcfg.draw.svg import to_svg

__all__ = ["to_dot", "to_html", "to_json", "to_svg"]

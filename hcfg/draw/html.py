"""The drawing as one self-contained HTML page: zoom, and a node's code on a click."""

from html import escape

from hcfg.draw.palette import COLOURS, LEGEND
from hcfg.draw.picture import picture_of
from hcfg.draw.svg import to_svg
from hcfg.graph import Hcfg

_STYLE = """
* { box-sizing: border-box; }
body { margin: 0; display: flex; flex-direction: column; height: 100vh;
       font: 14px system-ui, sans-serif; color: #111827; }
header { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: center; padding: 8px 16px;
         border-bottom: 1px solid #d1d5db; }
header h1 { font-size: 16px; margin: 0 8px 0 0; }
header span::before { content: ""; display: inline-block; width: 12px; height: 12px;
                      margin-right: 6px; border: 1.5px solid var(--border);
                      background: var(--fill); vertical-align: -1px; }
main { display: flex; flex: 1; min-height: 0; }
#drawing { flex: 1; overflow: auto; background: #f9fafb; }
#drawing svg { display: block; margin: 0 auto; }
#details { width: 30%; min-width: 320px; overflow: auto; margin: 0; padding: 12px 16px;
           border-left: 1px solid #d1d5db; white-space: pre-wrap;
           font: 12px 'DejaVu Sans Mono', Menlo, Consolas, monospace; }
#drawing g { cursor: pointer; }
#drawing g.chosen rect { stroke-width: 4; }
"""

_SCRIPT = """
const drawing = document.querySelector("#drawing");
const svg = drawing.querySelector("svg");
const details = document.querySelector("#details");
const size = [svg.width.baseVal.value, svg.height.baseVal.value];
let zoom = 1;
function setZoom(value) {
  zoom = Math.min(4, Math.max(0.05, value));
  svg.setAttribute("width", size[0] * zoom);
  svg.setAttribute("height", size[1] * zoom);
}
drawing.addEventListener("wheel", event => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  setZoom(zoom * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
}, { passive: false });
document.querySelector("#fit").onclick =
  () => setZoom(Math.min(drawing.clientWidth / size[0], drawing.clientHeight / size[1]));
document.querySelector("#full").onclick = () => setZoom(1);
for (const group of svg.querySelectorAll("g")) {
  const text = group.querySelector("title").textContent;
  group.onclick = () => {
    svg.querySelector("g.chosen")?.classList.remove("chosen");
    group.classList.add("chosen");
    details.textContent = group.id + "\\n\\n" + text;
  };
}
setZoom(Math.min(1, drawing.clientWidth / size[0]));
"""


def to_html(graph: Hcfg) -> str:
    """Return a drawing of ``graph`` as the text of an HTML page that loads nothing else."""
    title = escape(graph.name)
    kinds = dict.fromkeys(box.kind for box in picture_of(graph).boxes)
    legend = "".join(
        f'<span style="--fill: {COLOURS[kind].fill}; --border: {COLOURS[kind].border}">'
        f"{escape(LEGEND[kind])}</span>"
        for kind in LEGEND
        if kind in kinds
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}: control flow</title>
<style>{_STYLE}</style>
</head>
<body>
<header><h1>{title}</h1>{legend}
<button id="fit">whole graph</button><button id="full">full size</button>
<small>Ctrl + wheel zooms; click a node for its code and source</small></header>
<main><div id="drawing">{to_svg(graph)}</div>
<pre id="details">Click a node.</pre></main>
<script>{_SCRIPT}</script>
</body>
</html>
"""

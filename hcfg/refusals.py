"""What a sub-DNN does that no compiled one can do faithfully: found before it is compiled."""

from hcfg.graph import Hcfg, SubDnn
from hcfg.liveness import live
from hcfg.recordings import Recordings
from rewriter.diagnostics import CompileError, Diagnostic, DyclBug


def require_compilable(graph: Hcfg, recordings: Recordings) -> None:
    """Raise ``CompileError`` with all reasons why sub-DNNs of ``graph`` must be refused."""
    after = live(graph).after
    diagnostics: list[Diagnostic] = []
    for node_id, node in graph.nodes.items():
        if isinstance(node, SubDnn):
            recording = recordings.of(node_id, node, graph)
            diagnostics += recording.diagnostics
            if lost := sorted((recording.overwritten & after[node_id]) - set(node.outputs)):
                raise DyclBug(f"{node_id}: overwrites {lost[0]!r}, which is read later")
    if diagnostics:
        raise CompileError(tuple(dict.fromkeys(diagnostics)))

"""From an optimised graph to what a host package is written from."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from codegen_host.manifest import CompiledSubDnns
from codegen_host.package import HostPackage
from dycl.backends import Backend
from dycl.backends.compiling import unchecked
from dycl.backends.packaging import compile_package
from dycl.cache import Cache
from dycl.capture import CapturedSubDnn, capture
from dycl.compile_report import CompileReport
from dycl.options import CompileOptions
from hcfg.flow import run_order
from hcfg.graph import Branch, SubDnn
from hcfg.passes import Optimised
from hcfg.told_sizes import told_sizes, with_sizes
from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.printing.program_text import print_program
from rewriter.program import RewrittenProgram

LINKING = "link-subdnns"
"""What ``CompileOptions.disabled_passes`` calls linking, which works on what is compiled."""


@dataclass(slots=True, kw_only=True)
class Building:
    """One compilation, after the passes over the graph."""

    optimised: Optimised
    backends: tuple[Backend, ...]
    """Of several, the fastest compiles each sub-DNN."""
    options: CompileOptions
    scratch: Path | None = None
    """A folder for this compilation alone."""
    captured: tuple[CapturedSubDnn, ...] = ()
    compiled: CompiledSubDnns | None = None
    exported: int = 0
    remarks: tuple[str, ...] = ()
    """What the user should know about this compilation."""

    def package(self, program: RewrittenProgram, entry_point: str, version: str) -> HostPackage:
        """Return what the package is written from, but for the artifacts."""
        return HostPackage(
            graph=self.optimised.graph,
            entry_point=entry_point,
            version=version,
            rewritten=print_program(program),
        )

    @property
    def may_link(self) -> bool:
        """Return whether sub-DNNs are compiled to graphs that can be put together."""
        return (
            [backend.name for backend in self.backends] == ["onnxruntime"]
            and self.options.device == "cpu"
            and not self.options.tune
            and not self.options.many_inputs
            and LINKING not in self.options.disabled_passes
        )

    def compile_into(self, directory: Path) -> CompiledSubDnns:
        """Capture all sub-DNNs and compile them into a directory."""
        captured = self.capture()
        self.compiled = compile_package(
            self.backends, captured, directory, self.cache, self.options.jobs
        )
        return self.compiled

    def capture(self) -> tuple[CapturedSubDnn, ...]:
        """Capture all sub-DNNs, or raise all refusals together."""
        self.captured = self.captured or self._capture()
        cache = self.cache
        self.exported = sum(
            len(unchecked(backend, self.captured, cache)) for backend in self.backends
        )
        return self.captured

    @property
    def cache(self) -> Cache | None:
        """Return what keeps results between compilations."""
        return Cache(self.options.cache_directory) if self.options.cache else None

    @property
    def exports(self) -> Cache | None:
        """Return what keeps graphs that several steps of this compilation need."""
        return self.cache or (Cache(self.scratch) if self.scratch is not None else None)

    def _capture(self) -> tuple[CapturedSubDnn, ...]:
        """Capture in the order in which sub-DNNs may run."""
        graph, recordings = self.optimised.graph, self.optimised.report.recordings
        tested = told_sizes(graph)
        share = "structural-dedupe" not in self.options.disabled_passes
        captured: list[CapturedSubDnn] = []
        problems: list[Diagnostic] = []
        for node_id in run_order(graph):
            node = graph.nodes[node_id]
            if isinstance(node, SubDnn):
                recording = recordings.of(node_id, node, graph)
                known = with_sizes(graph, tested.get(node_id, {}))
                try:
                    captured.append(capture(node_id, node, known, recording, share=share))
                except CompileError as error:
                    problems += error.diagnostics
        if problems:
            raise CompileError(tuple(dict.fromkeys(problems)))
        return tuple(captured)

    def report(self, output: Path, seconds: Mapping[str, float]) -> CompileReport:
        """Return what was done."""
        graph = self.optimised.graph
        structures = {s.structure if s.shareable else s.name for s in self.captured}
        assert self.compiled is not None
        artifacts = {file.file for file in self.compiled.files.values()}
        counts = Counter(file.backend for file in self.compiled.files.values())
        files = [path for path in output.rglob("*") if path.is_file() and path.suffix != ".pyc"]
        return CompileReport(
            name=graph.name,
            path=output,
            backend=", ".join(f"{name} {count}" for name, count in counts.items())
            if len(counts) > 1
            else "".join(counts),
            branches=sum(isinstance(node, Branch) for node in graph.nodes.values()),
            subdnns=len(self.captured),
            structures=len(structures),
            artifacts=len(artifacts),
            exported=self.exported,
            bytes=sum(path.stat().st_size for path in files),
            seconds=dict(seconds),
            changes=tuple(f"{c.by}: {c.node}: {c.what}" for c in self.optimised.report.changes),
            notes=(*graph.notes, *self.remarks, *self._notes()),
        )

    def _notes(self) -> tuple[str, ...]:
        """Return what the user should know about the backends that were used."""
        assert self.compiled is not None
        used = {record.name for record in self.compiled.backends}
        notes = [
            f"backend {backend.name}: {note}"
            for backend in self.backends
            if backend.name in used
            for note in backend.available().notes
        ]
        notes += [
            f"backend {record.name}: {record.tuning['summary']}"
            for record in self.compiled.backends
            if record.tuning is not None
        ]
        return tuple(notes)

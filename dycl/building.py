"""From an optimised graph to what a host package is written from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from codegen_host.manifest import BackendRecord, CompiledFile, CompiledSubDnns
from codegen_host.package import HostPackage
from dycl.backends import Backend, Workplace
from dycl.backends.compiling import compile_checked, unchecked
from dycl.backends.weights_file import WeightsFile
from dycl.cache import Cache
from dycl.capture import CapturedSubDnn, capture
from dycl.compile_report import CompileReport
from dycl.options import CompileOptions
from hcfg.flow import run_order
from hcfg.graph import Branch, SubDnn
from hcfg.passes import Optimised
from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.printing.program_text import print_program
from rewriter.program import RewrittenProgram


@dataclass(slots=True, kw_only=True)
class Building:
    """One compilation, after the passes over the graph."""

    optimised: Optimised
    backend: Backend
    options: CompileOptions
    captured: tuple[CapturedSubDnn, ...] = ()
    files: frozenset[str] = field(default_factory=frozenset)
    exported: int = 0

    def package(self, program: RewrittenProgram, entry_point: str, version: str) -> HostPackage:
        """Return what the package is written from, but for the artifacts."""
        return HostPackage(
            graph=self.optimised.graph,
            entry_point=entry_point,
            version=version,
            rewritten=print_program(program),
        )

    def compile_into(self, directory: Path) -> CompiledSubDnns:
        """Capture all sub-DNNs and compile them into a directory."""
        self.captured = self._capture()
        cache = Cache(self.options.cache_directory) if self.options.cache else None
        self.exported = len(unchecked(self.backend, self.captured, cache))
        with WeightsFile(directory) as weights:
            workplace = Workplace(directory=directory, weights=weights, cache=cache)
            artifacts = compile_checked(self.backend, self.captured, workplace, self.options.jobs)
        self.files = frozenset(artifact.file for artifact in artifacts)
        files = {
            artifact.subdnn: CompiledFile(
                file=artifact.file,
                uses=artifact.uses,
                backend=self.backend.name,
                settings=artifact.settings,
            )
            for artifact in artifacts
        }
        return CompiledSubDnns(files=files, backends=(record_of(self.backend),))

    def _capture(self) -> tuple[CapturedSubDnn, ...]:
        """Capture in the order in which sub-DNNs may run; raise all refusals together."""
        graph, recordings = self.optimised.graph, self.optimised.report.recordings
        share = "structural-dedupe" not in self.options.disabled_passes
        captured: list[CapturedSubDnn] = []
        problems: list[Diagnostic] = []
        for node_id in run_order(graph):
            node = graph.nodes[node_id]
            if isinstance(node, SubDnn):
                recording = recordings.of(node_id, node, graph)
                try:
                    captured.append(capture(node_id, node, graph, recording, share=share))
                except CompileError as error:
                    problems += error.diagnostics
        if problems:
            raise CompileError(tuple(dict.fromkeys(problems)))
        return tuple(captured)

    def report(self, output: Path, seconds: Mapping[str, float]) -> CompileReport:
        """Return what was done."""
        graph = self.optimised.graph
        structures = {s.structure if s.shareable else s.name for s in self.captured}
        files = [path for path in output.rglob("*") if path.is_file()]
        return CompileReport(
            name=graph.name,
            path=output,
            backend=self.backend.name,
            branches=sum(isinstance(node, Branch) for node in graph.nodes.values()),
            subdnns=len(self.captured),
            structures=len(structures),
            artifacts=len(self.files),
            exported=self.exported,
            bytes=sum(path.stat().st_size for path in files),
            seconds=dict(seconds),
            changes=tuple(f"{c.by}: {c.node}: {c.what}" for c in self.optimised.report.changes),
            notes=graph.notes,
        )


def record_of(backend: Backend) -> BackendRecord:
    """Return what a package keeps of a backend."""
    return BackendRecord(
        name=backend.name,
        versions=backend.available().versions,
        packages=backend.runtime_packages,
        settings=backend.runtime_settings(),
        machine=backend.machine(),
        loader=backend.runtime_source(),
    )

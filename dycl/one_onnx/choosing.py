"""Which parts of a program become one artifact each, of those that could be several."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from codegen_host.package import CompileInto, HostPackage
from dycl.building import Building
from dycl.drawing_inputs import Inputs


def with_decisions_lowered(
    building: Building, package: HostPackage, samples: Sequence[Inputs]
) -> tuple[HostPackage, CompileInto]:
    """Return the package that calls the program as one artifact, or parts of it as one each."""
    from dycl.one_onnx.compiling import plan
    from dycl.one_onnx.mixed import mixed
    from dycl.one_onnx.mixed_packaging import MixedPackage
    from dycl.one_onnx.packaging import WholePackage, require_onnxruntime
    from dycl.one_onnx.whole_graph import whole_graph
    from rewriter.diagnostics import CompileError

    require_onnxruntime(building.backends)
    source = package.entry_point
    try:
        planned = plan(package.graph)
        host = whole_graph(planned)
    except CompileError:  # some of it needs Python
        parts = mixed(package.graph)
        building.remarks = (*building.remarks, *parts.remarks())
        if not parts.regions:
            return package, building.compile_into
        some = MixedPackage(
            mixed=parts, building=building, source=source, version=package.version, samples=samples
        )
        return replace(package, graph=parts.graph, original=package.graph), some.compile_into
    whole = WholePackage(plan=planned, building=building, source=source, samples=samples)
    return replace(package, graph=host, original=package.graph), whole.compile_into


def with_subdnns_linked(
    building: Building, package: HostPackage, samples: Callable[[], Sequence[Inputs]]
) -> tuple[HostPackage, CompileInto]:
    """Return the package in which sub-DNNs are linked, where only sizes kept them apart."""
    from dycl.one_onnx.linking import find_links

    links = find_links(package.graph) if building.may_link else ()
    if not links:
        return package, building.compile_into
    from dycl.one_onnx.linked_model import linked
    from dycl.one_onnx.mixed_packaging import MixedPackage

    parts = linked(package.graph, links, building)
    if parts is None:
        return package, building.compile_into
    building.remarks = (*building.remarks, *parts.remarks())
    some = MixedPackage(
        mixed=parts,
        building=building,
        source=package.entry_point,
        version=package.version,
        samples=samples(),
    )
    return replace(package, graph=parts.graph, original=package.graph), some.compile_into

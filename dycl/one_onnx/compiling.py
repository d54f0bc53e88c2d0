"""From a finished graph to ``model.onnx``: the order of things."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx
from onnx import helper

from dycl.backends.onnx_graphs.exporting import OPSET
from dycl.backends.onnx_graphs.older_operators import with_fast_averages
from dycl.backends.onnx_graphs.read_bits import require_given_bits, with_bits_read
from dycl.backends.onnx_graphs.skeletons import Skeletons
from dycl.backends.onnx_graphs.splitting import IR_VERSION
from dycl.backends.weights_file import WeightsFile
from dycl.cache import Cache
from dycl.capture import CapturedSubDnn
from dycl.one_onnx.arguments import inputs_of
from dycl.one_onnx.bounds import integer_bounds
from dycl.one_onnx.examining import examine
from dycl.one_onnx.graphs import GraphWriter, Value
from dycl.one_onnx.inlining import Exported, SubDnns
from dycl.one_onnx.lowering import Lowering
from dycl.one_onnx.number import Number
from dycl.one_onnx.numbers import Numbers
from dycl.one_onnx.refusing import Problems
from dycl.one_onnx.result_patterns import part_problems
from dycl.one_onnx.results import Results, form_text, results_of
from dycl.one_onnx.statements import Statements
from dycl.one_onnx.weights import Weights
from hcfg.graph import Hcfg
from rewriter.diagnostics import CompileError

MODEL = "model.onnx"
_ONE_FILE = 2**20
"""Up to this many bytes of weights stand in the model; more get a file of their own, which
several branches can refer to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A program that can be one ONNX file."""

    graph: Hcfg
    numbers: Numbers
    results: Mapping[str | None, Results]
    inputs: Mapping[str, Value]
    """By variable."""


def plan(graph: Hcfg) -> Plan:
    """Return how a program becomes one file, or raise ``CompileError`` with all reasons why not."""
    problems = Problems()
    if graph.state is not None:
        problems.add("what the model keeps from one call to the next", None)
    numbers = Numbers(graph.variables, graph.knowns, integer_bounds(graph, unknown=Number(int)))
    for found in examine(graph, Statements(graph, numbers, Weights(None))).values():
        problems.update(found)
    inputs = inputs_of(graph, problems)
    if not problems.found:
        results = results_of(graph, numbers, problems, (None, *graph.functions))
        for _, reason, origin in part_problems(graph, results):
            problems.add(reason, origin)
    if problems.found:
        raise CompileError(tuple(problems.found))
    return Plan(graph=graph, numbers=numbers, results=results, inputs=inputs)


def write_model(
    plan: Plan,
    captured: Sequence[CapturedSubDnn],
    cache: Cache | None,
    directory: Path,
    source: str,
    version: str,
) -> None:
    """Write ``model.onnx`` into a directory, and the weights beside it if they are large.

    ``source`` is the name of the original, ``version`` dycl's.
    """
    with WeightsFile(directory) as file:
        weights = Weights(file if is_large(captured) else None)
        model = model_of(plan, captured, cache, weights, source, version)
    (directory / MODEL).write_bytes(model.SerializeToString(deterministic=True))


def model_of(
    plan: Plan,
    captured: Sequence[CapturedSubDnn],
    cache: Cache | None,
    weights: Weights,
    source: str,
    version: str,
) -> onnx.ModelProto:
    """Return a program as a model; ``captured`` are its sub-DNNs."""
    skeletons = Skeletons(cache).find(captured)
    pairs = [*zip(captured, skeletons, strict=True)]
    for each in pairs:
        require_given_bits(*each)
    exported = {subdnn.name: Exported(subdnn, skeleton) for subdnn, skeleton in pairs}
    subdnns = SubDnns(exported, weights)
    graph = _written(plan, subdnns, weights)
    return finished(graph, subdnns, plan.results[None], source, version)


def finished(
    graph: onnx.GraphProto, subdnns: SubDnns, results: Results, source: str, version: str
) -> onnx.ModelProto:
    """Return a graph into which sub-DNNs were written as a model."""
    model = helper.make_model(
        graph,
        opset_imports=[
            helper.make_opsetid(domain, number)
            for domain, number in sorted({"": OPSET, **subdnns.imports}.items())
        ],
        ir_version=IR_VERSION,
        producer_name="dycl",
        producer_version=version,
        doc_string=f"{source}, compiled by dycl {version}",
    )
    helper.set_model_props(model, {"dycl.result": form_text(results)})
    return with_fast_averages(with_bits_read(model))


def _written(plan: Plan, subdnns: SubDnns, weights: Weights) -> onnx.GraphProto:
    writer = GraphWriter()
    statements = Statements(plan.graph, plan.numbers, weights)
    lowering = Lowering(plan.graph, subdnns, statements, plan.results)
    values = lowering.write(plan.inputs, writer)
    return as_file(plan, values, writer)


def as_file(plan: Plan, values: Sequence[Value], writer: GraphWriter) -> onnx.GraphProto:
    """Return what was written as the graph of a file; ``values`` are those of its outputs."""
    results = plan.results[None]
    declared = [
        Value(name=place, element=element, shape=shape)
        for place, (element, shape) in zip(results.places, results.types, strict=True)
    ]
    outputs = list(zip(values, declared, strict=True))
    return writer.file(plan.graph.name, list(plan.inputs.values()), outputs)


def is_large(captured: Sequence[CapturedSubDnn]) -> bool:
    """Return whether weights get a file of their own."""
    tensors = {weight.tensor.data_ptr(): weight.tensor for s in captured for weight in s.weights}
    return sum(tensor.nbytes for tensor in tensors.values()) > _ONE_FILE

"""Sub-DNNs to Relax functions: one for each structure, with the weights as parameters."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any

import torch
from torch.export.graph_signature import InputKind, OutputKind
from torch.utils._pytree import tree_flatten, tree_unflatten
from tvm import relax, tirx

from dycl.backends.tvm import (  # noqa: F401 - they fill the table
    lowering_bits,
    lowering_creation,
    lowering_indexing,
    lowering_joining,
    lowering_normalising,
    lowering_pointwise,
    lowering_products,
    lowering_recurrence,
    lowering_reductions,
    lowering_selections,
    lowering_shapes,
    lowering_softmax,
    lowering_sorting,
    lowering_statistics,
    lowering_views,
    lowering_windows,
    lowering_writing,
)
from dycl.backends.tvm.decomposing import decompositions
from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.lowering import KEEPS_BLOCKS, LOWERINGS
from dycl.backends.tvm.opening import inputs_of, open_program
from dycl.backends.tvm.operands import Result, Unsupported
from dycl.backends.tvm.size_arithmetic import computed, computes_sizes
from dycl.backends.tvm.sizes import is_known, is_number
from dycl.backends.tvm.tensors import CONSTANT, OWN, Expression, Recipe, Tensor
from dycl.capture import CapturedSubDnn
from dycl.capture.kept_decompositions import decompositions_kept

_LATE = "sizes known only at run time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A Relax function: its parameters are the inputs, then what the recipes make."""

    name: str
    checks: bool
    """Whether it has one more output, which reports faults."""
    recipes: tuple[Recipe, ...]
    tensors: tuple[int, ...] = ()
    """The inputs that are tensors."""
    sizes: tuple[tuple[int, int, int, int], ...] = ()
    """The sizes that it takes after its inputs: of which input, which dimension, the
    factor and the offset in it."""
    numbers: tuple[int, ...] = ()
    """The inputs that are integers, which it takes last."""


def import_subdnn(
    builder: relax.BlockBuilder, subdnn: CapturedSubDnn, name: str, lanes: int
) -> Function:
    """Add a function for a sub-DNN and all others of its structure.

    ``lanes`` is how many numbers one instruction takes; images of as many channels are kept in
    blocks, unless it is 0. Raises Unsupported where an operator, or
    a use of one, has no lowering.
    """
    with warnings.catch_warnings(), decompositions_kept():
        warnings.simplefilter("ignore")
        program = open_program(subdnn).run_decompositions(decompositions(subdnn.is_symbolic))
    return _Importer(subdnn, program, builder, name, lanes).run()


def _name(node: torch.fx.Node) -> str:
    target: Any = node.target
    if getattr(target, "__name__", "") == "getitem":
        return "getitem"
    return str(target).removeprefix("aten.")


@contextmanager
def _ending(builder: relax.BlockBuilder) -> Iterator[None]:
    """End the block that a refusal leaves open: TVM would complain about it on stderr."""
    try:
        yield
    except BaseException:
        builder._end_block()
        raise


@dataclass(slots=True)
class _Importer:
    """Walks one program and emits what each node computes."""

    subdnn: CapturedSubDnn
    program: torch.export.ExportedProgram
    builder: relax.BlockBuilder
    name: str
    lanes: int

    def run(self) -> Function:
        signature = self.program.graph_signature
        emitter = Emitter(builder=self.builder, lanes=self.lanes)
        given = inputs_of(self.subdnn, emitter.sizes)
        inputs = iter(given.values)
        values: dict[torch.fx.Node, Any] = {}
        placeholders = [n for n in self.program.graph.nodes if n.op == "placeholder"]
        for node, spec in zip(placeholders, signature.input_specs, strict=True):
            assert spec.target is None or isinstance(spec.target, str)
            if spec.kind is InputKind.USER_INPUT:
                values[node] = next(inputs)
            elif spec.kind is InputKind.BUFFER and spec.target in self.program.state_dict:
                values[node] = emitter.known(node.meta["val"], _weight(str(spec.target)))
            else:
                values[node] = emitter.constant(self._tensor(str(spec.target)))
        with _ending(self.builder), self.builder.function(self.name):
            with self.builder.dataflow():
                outputs = self._emit(emitter, values)
                outputs = _apart(emitter, outputs, given.tensors)
                emitter.sizes.settle()
                faults = [*emitter.faults, *_raised(emitter)]
                if faults:
                    outputs.append(_worst(emitter, faults))
                result = self.builder.emit_output(relax.Tuple([x.variable for x in outputs]))
            parameters = [x.variable for x in (*given.tensors, *emitter.bound)]
            self.builder.emit_func_output(result, [*parameters, *given.variables])
        return Function(
            name=self.name,
            checks=bool(faults),
            recipes=tuple(x.recipe for x in emitter.bound if x.recipe is not None),
            tensors=given.places,
            sizes=given.sizes,
            numbers=given.numbers,
        )

    def _tensor(self, name: str) -> torch.Tensor:
        held = {**dict(self.program.named_buffers()), **self.program.constants}
        tensor = held[name]
        assert isinstance(tensor, torch.Tensor)
        return tensor

    def _emit(self, emitter: Emitter, values: dict[torch.fx.Node, Any]) -> list[Tensor]:
        for node in self.program.graph.nodes:
            if node.op == "call_function":
                values[node] = self._lower(emitter, node, values)
            elif node.op == "get_attr":
                values[node] = emitter.constant(getattr(self.program.graph_module, node.target))
            elif node.op == "output":
                kinds = {spec.kind for spec in self.program.graph_signature.output_specs}
                if kinds != {OutputKind.USER_OUTPUT}:
                    raise Unsupported("writing into an input or a weight")
                outputs: Any = torch.fx.map_arg(node.args[0], values.__getitem__)
                return list(outputs)
        raise AssertionError("a graph without an output")

    def _lower(
        self, emitter: Emitter, node: torch.fx.Node, values: dict[torch.fx.Node, Any]
    ) -> Any:
        name = _name(node)
        arguments: Any = torch.fx.map_arg(tuple(node.args), values.__getitem__)
        options: Any = torch.fx.map_arg(dict(node.kwargs), values.__getitem__)
        if name == "getitem":
            return arguments[0][arguments[1]]
        if computes_sizes(node):
            return computed(emitter, node, arguments)
        if name not in LOWERINGS:
            raise Unsupported(f"the operator {name} has no lowering to TVM")
        found = node.meta.get("val")
        if isinstance(found, torch.Tensor):
            known = _at_compile_time(emitter, node, arguments, options)
            if known is not None:
                return known
        if name not in KEEPS_BLOCKS:
            arguments, options = _plain(emitter, arguments), _plain(emitter, options)
        if found is None:  # an assertion
            LOWERINGS[name](emitter, *arguments, **options)
            return None
        meta = found if isinstance(found, torch.Tensor) else found[0]
        emitter.result = Result(name=name, meta=meta)
        try:
            lowered = LOWERINGS[name](emitter, *arguments, **options)
        except (TypeError, NotImplementedError) as error:
            if not emitter.sizes:
                raise
            # sizes of run time are no numbers, and whoever takes them for such fails
            raise Unsupported(f"the operator {name} with {_LATE}: {error}") from error
        return self._checked(lowered, found, name)

    def _checked(self, lowered: Any, found: Any, name: str) -> Any:
        """Return what a lowering gave, once it is known to be of the right shapes and types."""
        single = isinstance(found, torch.Tensor)
        for tensor, meta in zip(
            [lowered] if single else lowered, [found] if single else found, strict=True
        ):
            if meta is None or (not single and tensor.shape == (0,)):
                continue
            if not _fits(tensor, meta):
                got = f"{tensor.dtype}{list(tensor.shape)}"
                raise Unsupported(f"{name} gives {got} for {meta.dtype}{list(meta.shape)}")
        return lowered


def _weight(name: str) -> Recipe:
    number = int(name.removeprefix("w"))
    return lambda weights: weights[number]


def _at_compile_time(
    emitter: Emitter, node: torch.fx.Node, arguments: Any, options: Any
) -> Tensor | None:
    """Return what an operator makes of weights and constants alone, None where it reads more."""
    leaves, structure = tree_flatten((arguments, options))
    tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
    if not tensors or any(x.recipe is None for x in tensors) or any(map(is_number, leaves)):
        return None
    if any(type(size) is not int for size in node.meta["val"].shape):
        return None

    def recipe(weights: Sequence[torch.Tensor]) -> torch.Tensor:
        made = [
            leaf.recipe(weights) if isinstance(leaf, Tensor) and leaf.recipe else leaf
            for leaf in leaves
        ]
        args, kwargs = tree_unflatten(made, structure)
        target: Any = node.target
        with torch.no_grad():
            result: torch.Tensor = target(*args, **kwargs).contiguous()
        return result

    return emitter.known(node.meta["val"], recipe)


def _plain(emitter: Emitter, values: Any) -> Any:
    leaves, structure = tree_flatten(values)
    return tree_unflatten(
        [emitter.plain(leaf) if isinstance(leaf, Tensor) else leaf for leaf in leaves], structure
    )


def _fits(tensor: Tensor, meta: torch.Tensor) -> bool:
    """Return whether a tensor is what PyTorch says, as far as both know the sizes."""
    if tensor.dtype != meta.dtype or len(tensor.shape) != len(meta.shape):
        return False
    return all(
        size == wanted
        for size, wanted in zip(tensor.shape, meta.shape, strict=True)
        if is_known(size) and type(wanted) is int
    )


def _apart(
    emitter: Emitter, outputs: Sequence[Tensor], parameters: Sequence[Tensor]
) -> list[Tensor]:
    """Return outputs that share memory with nothing else the caller holds."""
    taken = {x.storage for x in parameters}
    apart: list[Tensor] = []
    for output in map(emitter.plain, outputs):
        storage = id(output.variable) if output.storage == OWN else output.storage
        if storage in taken or storage == CONSTANT:
            output = emitter.copy(output)
        taken.add(storage)
        apart.append(output)
    return apart


def _raised(emitter: Emitter) -> list[Tensor]:
    """Return what the kernels return that raise by themselves: zeros, which say nothing more."""
    return [Tensor(variable=x, shape=(), dtype=torch.int32) for x in emitter.sizes.raising]


def _worst(emitter: Emitter, faults: Sequence[Tensor]) -> Tensor:
    def worst(*values: Expression) -> Expression:
        return reduce(tirx.max, values)

    return (
        faults[0] if len(faults) == 1 else emitter.elementwise("fault", worst, faults, torch.int32)
    )

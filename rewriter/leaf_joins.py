"""Leaves that differ between paths: one run-time variable that may hold any of them."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy
import torch

from rewriter.array_samples import OpenArray, is_array, joined_sample
from rewriter.builder import Builder
from rewriter.leaves import residual_name
from rewriter.program import HostSpec, ScalarSpec, TensorSpec
from rewriter.size_joins import SizeJoiner
from rewriter.sizes import dimension_of
from rewriter.storages import Storages, same_view
from rewriter.values import HostValue, Known, ScalarValue, TensorValue, Value


@dataclass(frozen=True, slots=True)
class LeafJoiner:
    """Makes the variables that stand for a value on several paths."""

    builder: Builder
    storages: Storages
    gradless: set[str]
    """Tensors that certainly carry no gradient."""
    sizes: SizeJoiner

    def new_leaf(self, column: Sequence[Value], hint: str) -> Value:
        """Return a new run-time variable that may hold any of the given leaves."""
        first = column[0]
        hint = next(
            (
                self.builder.variables[leaf.name].hint
                for leaf in column
                if hint.startswith("_") and isinstance(leaf, TensorValue | ScalarValue)
            ),
            hint,
        )
        match first:
            case HostValue() if is_array(first.sample):
                return self._new_array(column, hint)
            case HostValue():
                sample = first.sample
                named = sample if isinstance(sample, type) else type(sample)
                spec = HostSpec(description=named.__name__)
                return HostValue(self.builder.variable(hint, spec), first.sample)
            case TensorValue():
                return self._new_tensor(column, hint, first.fake)
            case Known() if isinstance(first.value, str):
                return HostValue(self.builder.variable(hint, HostSpec(description="str")), "")
            case Known() if isinstance(first.value, torch.Tensor):
                return self._new_tensor(column, hint, first.value)
            case ScalarValue():
                kind = first.type
            case Known():
                kind = type(first.value)
            case _:
                raise AssertionError(f"not a leaf: {first}")
        name = self.builder.variable(hint, ScalarSpec(type=kind))
        number = self.sizes.number(self.builder, name, kind, column)
        return replace(number, plain=isinstance(first, ScalarValue) and first.plain)

    def _new_array(self, column: Sequence[Value], hint: str) -> HostValue:
        values = [leaf for leaf in column if isinstance(leaf, HostValue)]
        name = self.builder.variable(hint, HostSpec(description="ndarray"))
        return replace(joined_arrays(values), name=name)

    def _new_tensor(self, column: Sequence[Value], hint: str, example: torch.Tensor) -> TensorValue:
        tensors = [leaf.fake if isinstance(leaf, TensorValue) else leaf.value for leaf in column]  # type: ignore[union-attr]
        shape = self.sizes.shape(tensors)
        name = self.builder.variable(
            hint, TensorSpec(dtype=example.dtype, shape=tuple(map(dimension_of, shape)))
        )
        older = (leaf.name for leaf in column if isinstance(leaf, TensorValue))
        self.storages.inherit(name, *older)
        if any(isinstance(leaf, Known) for leaf in column):
            self.storages.callers.add(name)
        if all(isinstance(leaf, TensorValue) and leaf.name in self.gradless for leaf in column):
            self.gradless.add(name)
        if all(isinstance(leaf, TensorValue) and same_view(leaf.fake, example) for leaf in column):
            # One and the same tensor on every path, written in place on some.
            return TensorValue(name, example)
        fake = self.storages.fresh_of_shape(example, shape)
        for leaf in column:
            if isinstance(leaf, TensorValue):
                self.storages.relate(fake, leaf.fake)
            elif isinstance(leaf, Known) and isinstance(leaf.value, torch.Tensor):
                self.storages.relate(fake, leaf.value)
        return TensorValue(name, fake)

    def leaf_expression(self, leaf: Value) -> ast.expr:
        """Return the residual expression of a leaf."""
        if isinstance(leaf, Known):
            return self.builder.reference(leaf.value, leaf.path)
        return ast.Name(id=residual_name(leaf), ctx=ast.Load())


def joined_arrays(values: Sequence[HostValue]) -> HostValue:
    """Return what stands for any of several arrays of one element type and rank."""
    samples = [v.sample for v in values if isinstance(v.sample, numpy.ndarray | OpenArray)]
    sample = joined_sample(samples)
    assert sample is not None
    known = [value.memory for value in values if value.memory is not None]
    memory = frozenset[tuple[object, int]]().union(*known) if len(known) == len(values) else None
    forward, alike = all(v.forward for v in values), all(v.alike for v in values)
    laid = all(v.laid for v in values) and len({_order(one) for one in samples}) == 1
    return HostValue(values[0].name, sample, memory, forward, alike, laid)


def _order(sample: numpy.ndarray[Any, Any] | OpenArray) -> object:
    """Return what tells apart in which order elements lie in memory."""
    if isinstance(sample, OpenArray) or sample.flags.c_contiguous:
        return "by rows"
    return sample.strides


def array_shape(value: HostValue) -> tuple[int | None, ...]:
    """Return the sizes of an array, None for those known only at run time."""
    assert isinstance(value.sample, numpy.ndarray | OpenArray)
    return value.sample.shape

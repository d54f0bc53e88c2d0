"""The exporter's table of operators is made once, and each export has its own copy."""

import importlib
from typing import Any

import torch
from torch.onnx._internal.exporter._registration import ONNXRegistry

from dycl.backends.onnx_graphs.operator_table import table_made_once

ADD = torch.ops.aten.add.Tensor


def test_table_is_what_pytorch_makes() -> None:
    original = ONNXRegistry.from_torchlib(opset_version=20)
    with table_made_once():
        copy = ONNXRegistry.from_torchlib(opset_version=20)
    assert copy.opset_version == original.opset_version == 20
    assert copy.functions.keys() == original.functions.keys()
    assert {k: len(v) for k, v in copy.functions.items()} == {
        k: len(v) for k, v in original.functions.items()
    }


def test_operators_that_an_import_adds_are_in_it() -> None:
    with table_made_once():
        ONNXRegistry.from_torchlib(opset_version=20)
    importlib.import_module("torch.ao.quantization.fx._decomposed")
    test_table_is_what_pytorch_makes()


def test_opsets_have_tables_of_their_own() -> None:
    with table_made_once():
        assert ONNXRegistry.from_torchlib(opset_version=20).opset_version == 20
        assert ONNXRegistry.from_torchlib(opset_version=18).opset_version == 18


def test_what_an_export_adds_stays_with_it() -> None:
    def mine(x: Any, y: Any) -> Any:
        return x

    with table_made_once():
        first = ONNXRegistry.from_torchlib(opset_version=20)
        first.register_op(ADD, mine)
        second = ONNXRegistry.from_torchlib(opset_version=20)
    assert first.get_decomps(ADD)[0].onnx_function is mine
    assert all(each.onnx_function is not mine for each in second.get_decomps(ADD))


def test_translations_are_registered_as_pytorch_does() -> None:
    def first(x: Any, y: Any) -> Any:
        return x

    def second(x: Any, y: Any) -> Any:
        return y

    with table_made_once():
        for _ in range(2):  # made, and taken from what was made
            table = ONNXRegistry.from_torchlib(opset_version=20)
            table.register_op(ADD, first)
            table.register_op(ADD, second, is_complex=True)
    original = ONNXRegistry.from_torchlib(opset_version=20)
    original.register_op(ADD, first)
    original.register_op(ADD, second, is_complex=True)
    assert table.get_decomps(ADD) == original.get_decomps(ADD)
    assert table.get_decomps(ADD)[0].onnx_function is second


def test_the_door_is_closed_afterwards() -> None:
    before = ONNXRegistry.from_torchlib
    with table_made_once():
        assert ONNXRegistry.from_torchlib != before
    assert ONNXRegistry.from_torchlib == before

"""How to reach the modules, parameters and buffers of an object from ``self``."""

from collections.abc import Iterator
from keyword import iskeyword

import torch
from torch import nn


def object_paths(receiver: object) -> dict[int, str]:
    """Return how to reach the modules, parameters and buffers of an object from ``self``."""
    paths: dict[int, str] = {}
    if isinstance(receiver, nn.Module):
        _module_paths(receiver, "self", paths)
    else:
        for name, content in vars(receiver).items() if hasattr(receiver, "__dict__") else ():
            if isinstance(content, nn.Module):
                _module_paths(content, f"self.{name}", paths)
    return paths


def _module_paths(module: nn.Module, path: str, paths: dict[int, str]) -> None:
    if id(module) in paths:
        return
    paths[id(module)] = path
    for name, content in _registered(module):
        paths.setdefault(id(content), _member(module, path, name))
    for name, child in module._modules.items():
        if child is not None:
            _module_paths(child, _member(module, path, name), paths)


def _registered(module: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    for table in (module._parameters, module._buffers):
        for name, content in table.items():
            if content is not None:
                yield name, content


def _member(module: nn.Module, path: str, name: str) -> str:
    if isinstance(module, nn.ModuleList | nn.Sequential | nn.ParameterList) and name.isdigit():
        return f"{path}[{name}]"
    if isinstance(module, nn.ModuleDict | nn.ParameterDict):
        return f"{path}[{name!r}]"
    if name.isidentifier() and not iskeyword(name):
        return f"{path}.{name}"
    tables = ("_modules", "_parameters", "_buffers")
    table = next(table for table in tables if name in getattr(module, table))
    return f"{path}.{table}[{name!r}]"

"""``dycl run``: run a host package on arrays from files. PyTorch is not needed."""

from collections import deque
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import rich_click as click
from numpy.typing import NDArray

from dycl.cli.console import complain, show_text
from dycl.cli.options import host_argument
from dycl.errors import UserError
from dycl.input_spec import ConstantRequest, parse_input_spec
from dycl.json_inputs import read_json
from dycl.looking_through import is_looked_through, looked_through

_PRINTED = 16
"""Arrays up to this many elements are printed whole."""


@click.command(epilog="Example:  dycl run skipnet_dycl --input picture.npy --save result.npz")
@host_argument
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="[NAME=]FILE.npy",
    help="An argument: an array file, a number such as n=int:5, or tree=FILE.json. Repeat.",
)
@click.option("--path", "show_path", is_flag=True, help="Print which way each branch went.")
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.npz",
    help="Write the arrays of the result.",
)
def run(host: Path, inputs: tuple[str, ...], show_path: bool, save: Path | None) -> int:
    """Run a host package once and print what it returns."""
    from dycl.cli.host import load_host

    if save is not None and save.suffix != ".npz":
        raise UserError(f"{save} does not end in .npz")
    compiled = load_host(host)
    positional, named = _arguments(inputs, compiled.manifest["inputs"])
    events: list[tuple[object, ...]] = []
    failure: Exception | None = None
    try:
        with compiled.observe(events.append):
            result = compiled(*positional, **named)
    except Exception as error:
        failure = error
    if show_path:
        show_text(_path_text(compiled.manifest, events))
    if failure is not None:
        return _report_failure(failure)
    leaves = _leaves(result, "output")
    show_text("\n".join(f"{place}: {_text(value)}" for place, value in leaves))
    if save is not None:
        arrays: dict[str, NDArray[Any]] = {place: np.asarray(value) for place, value in leaves}
        np.savez(save, allow_pickle=False, **arrays)
    return 0


def _report_failure(failure: Exception) -> int:
    """Tell a wrong argument from an exception that the model itself raises."""
    # each host package has an InputError of its own, so only the name is shared
    if type(failure).__name__ == "InputError":
        raise UserError(str(failure)) from failure
    complain(f"the model raised {type(failure).__name__}: {failure}")
    return 1


def _arguments(
    inputs: tuple[str, ...], descriptions: Sequence[Mapping[str, Any]]
) -> tuple[list[object], dict[str, object]]:
    positional: list[object] = []
    named: dict[str, object] = {}
    for index, text in enumerate(inputs):
        if text.endswith(".json"):
            name, value = _from_json(text, index, descriptions)
        else:
            name, value = _argument(text)
        if name is not None:
            named[name] = value
        elif named:
            raise UserError(f"the positional input {text!r} follows a named one")
        else:
            positional.append(value)
    return positional, named


def _from_json(
    text: str, index: int, descriptions: Sequence[Mapping[str, Any]]
) -> tuple[str | None, object]:
    name, equals, rest = text.partition("=")
    by_name = {description["name"]: description for description in descriptions}
    if equals and name in by_name:
        return name, read_json(Path(rest), by_name[name])
    if index >= len(descriptions):
        raise UserError(f"there is no argument for {text!r}; there are {', '.join(by_name)}")
    return None, read_json(Path(text), descriptions[index])


def _argument(text: str) -> tuple[str | None, object]:
    name, equals, rest = text.partition("=")
    if text.endswith(".npy"):
        if equals and name.isidentifier() and not Path(text).exists():
            return name, _read(Path(rest))
        return None, _read(Path(text))
    spec = parse_input_spec(text)
    if not isinstance(spec.request, ConstantRequest):
        raise UserError(
            f"{text!r} describes an array but gives none",
            help="pass a file: --input x=picture.npy, or a number: --input n=int:5",
        )
    return spec.name, spec.request.value


def _read(file: Path) -> NDArray[Any]:
    if not file.is_file():
        raise UserError(f"{file} does not exist; expected a file written by numpy.save")
    try:
        array: NDArray[Any] = np.load(file, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise UserError(f"{file} is not an array file: {error}") from error
    return array


def _leaves(value: object, place: str) -> list[tuple[str, object]]:
    match value:
        case Mapping():
            items = [(f"{place}[{key!r}]", item) for key, item in value.items()]
        case list() | tuple() | deque():
            items = [(f"{place}[{index}]", item) for index, item in enumerate(value)]
        case _ if is_looked_through(value):
            items = [(f"{place}[{index}]", x) for index, x in enumerate(looked_through(value))]
        case np.ndarray() | np.generic() | Enum():
            return [(place, value)]
        case _ if getattr(value, "__dict__", None):
            items = [(f"{place}.{name}", item) for name, item in vars(value).items()]
        case _:
            return [(place, value)]
    return [leaf for inner, item in items for leaf in _leaves(item, inner)]


def _text(value: object) -> str:
    if not isinstance(value, np.ndarray):
        return repr(value)
    head = f"{value.dtype}{list(value.shape)}"
    if value.size <= _PRINTED:
        return f"{head} {value.tolist()}"
    if value.dtype.kind in "fiu":
        return f"{head} from {value.min()} to {value.max()}"
    return head


def _path_text(manifest: Mapping[str, Any], events: list[tuple[object, ...]]) -> str:
    nodes = {node["id"]: node for node in manifest["graph"]["nodes"]}
    lines = []
    for kind, node, *rest in events:
        found = nodes[node]
        went = f" -> {rest[0]}" if kind == "branch" else ""
        lines.append(f"{kind:7} {found.get('test', node)}{went}  # {found['source']}")
    return "\n".join(lines)

"""Input SPECs of the command line: ``f32[1,3,32,32]``, ``tokens=i64[1,seq<=64]``, ``n=int:5``.

SPEC   := [NAME "="] ( DTYPE "[" [DIM {"," DIM}] "]" | TYPE ":" TEXT | "none" )
DTYPE  := f16 bf16 f32 f64 i8 i16 i32 i64 u8 bool c64 c128
DIM    := NUMBER | [NUMBER "<="] NAME ["<=" NUMBER]
TYPE   := int float bool str
"""

import re
from dataclasses import dataclass
from typing import TypeAlias

from dycl.errors import UserError

DTYPES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "bool": "bool",
    "c64": "complex64",
    "c128": "complex128",
}
"""Short names, and the names that PyTorch and numpy share."""

_EXAMPLE = "expected such as f32[1,3,32,32], tokens=i64[1,seq<=64], n=int:5, flag=bool:true"
_TENSOR = re.compile(r"(?P<dtype>[a-z]+\d*)\[(?P<dims>[^\[\]]*)\]")
_SCALAR = re.compile(r"(?P<type>int|float|bool|str):(?P<text>.*)", re.DOTALL)
_SYMBOL = re.compile(r"(?:(?P<low>\d+)\s*<=\s*)?(?P<name>[A-Za-z_]\w*)(?:\s*<=\s*(?P<high>\d+))?")
_NAMED = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*=(?!=)\s*(?P<rest>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class SymbolicDimension:
    """A dimension that varies at run time: ``seq<=64``."""

    name: str
    low: int
    high: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorRequest:
    """A tensor of the given type and shape; its content is drawn at random."""

    dtype: str
    """As PyTorch and numpy call it: ``float32``."""
    shape: tuple[int | SymbolicDimension, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantRequest:
    """A Python value given in the SPEC itself."""

    value: int | float | bool | str | None


InputRequest: TypeAlias = TensorRequest | ConstantRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRequest:
    """A parsed SPEC: ``name`` is None for a positional argument."""

    name: str | None
    request: InputRequest


def parse_input_spec(spec: str) -> NamedRequest:
    """Parse one SPEC; raise UserError that says what was expected."""
    text = spec.strip()
    name = None
    if (named := _NAMED.fullmatch(text)) is not None and "[" not in named["name"]:
        name, text = named["name"], named["rest"].strip()
    if text == "none":
        return NamedRequest(name=name, request=ConstantRequest(value=None))
    if (scalar := _SCALAR.fullmatch(text)) is not None:
        request: InputRequest = _constant(spec, scalar["type"], scalar["text"])
    elif (tensor := _TENSOR.fullmatch(text)) is not None:
        request = _tensor(spec, tensor["dtype"], tensor["dims"])
    else:
        raise UserError(f"cannot read the input spec {spec!r}", help=_EXAMPLE)
    return NamedRequest(name=name, request=request)


def _constant(spec: str, kind: str, text: str) -> ConstantRequest:
    try:
        match kind:
            case "int":
                return ConstantRequest(value=int(text))
            case "float":
                return ConstantRequest(value=float(text))
            case "bool":
                return ConstantRequest(value={"true": True, "false": False}[text.lower()])
            case _:
                return ConstantRequest(value=text)
    except (ValueError, KeyError) as error:
        raise UserError(f"{text!r} in the input spec {spec!r} is not of type {kind}") from error


def _tensor(spec: str, dtype: str, dims: str) -> TensorRequest:
    if dtype not in DTYPES:
        raise UserError(
            f"unknown element type {dtype!r} in the input spec {spec!r}",
            help=f"known: {', '.join(DTYPES)}",
        )
    parts = [part.strip() for part in dims.split(",")] if dims.strip() else []
    return TensorRequest(dtype=DTYPES[dtype], shape=tuple(_dimension(spec, part) for part in parts))


def _dimension(spec: str, text: str) -> int | SymbolicDimension:
    if text.isdecimal():
        return int(text)
    match = _SYMBOL.fullmatch(text)
    if match is None:
        raise UserError(
            f"cannot read the dimension {text!r} in the input spec {spec!r}",
            help="a dimension is a number, or a name with bounds: seq<=64, 2<=seq<=64",
        )
    low = int(match["low"]) if match["low"] else 1
    high = int(match["high"]) if match["high"] else None
    if high is not None and high < low:
        raise UserError(f"the dimension {text!r} in the input spec {spec!r} has no possible size")
    return SymbolicDimension(name=match["name"], low=low, high=high)

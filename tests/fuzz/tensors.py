"""Tensor expressions of a given shape."""

from tests.fuzz import scalars
from tests.fuzz.author import Author
from tests.fuzz.kinds import (
    FLOAT,
    MATRIX,
    PAIR,
    ROW,
    SINGLE,
    TOKENS,
    FunctionKind,
    Kind,
    ListKind,
    TensorKind,
)

CONSTANTS = ("0.5", "2", "1.5", "0.25", "-1", "3.0", "-0.5", "1")


def tensor(author: Author, kind: TensorKind, depth: int = 2) -> str:
    """Return an expression of a float tensor."""
    if depth <= 0 or author.chance(0.15):
        return leaf(author, kind)
    special = {MATRIX: _matrix, ROW: _row, PAIR: _pair, SINGLE: _single}.get(kind)
    if special is not None and author.chance(0.45):
        return special(author, depth)
    if author.chance(0.12):
        functions = author.callables(kind)
        if functions:
            return scalars.call(author, *author.pick(functions), depth=depth - 1)
    return author.pick([_unary, _binary, _binary, _with_number, _with_number])(author, kind, depth)


def leaf(author: Author, kind: TensorKind) -> str:
    """Return an expression that reads a tensor, or makes one where none is at hand."""
    stored = author.reads(kind)
    if stored and author.chance(0.9):
        return author.pick(stored)
    shape = ", ".join(map(str, kind.shape)) or "()"
    return author.pick(
        [f"torch.zeros({shape})", f"torch.ones({shape})", _filled(author, kind)]
    )


def _filled(author: Author, kind: TensorKind) -> str:
    return f"torch.full({kind.shape!r}, {scalars.number(author, FLOAT, 1)}, dtype=torch.float32)"


def _unary(author: Author, kind: TensorKind, depth: int) -> str:
    inner = tensor(author, kind, depth - 1)
    form = author.pick([
        "torch.relu({})", "({}).abs()", "(-{})", "torch.tanh({})", "({}).clamp(-2, 2)",
        "({}).clone()", "({}).detach()", "F.relu({})", "({}).clamp(min=0)", "torch.abs({})",
        "torch.sigmoid({})", "({}).contiguous()", "({}).neg()", "torch.zeros_like({})",
        "torch.ones_like({})", "({}).float()", "({}).clamp(max=1.5)",
    ])  # fmt: skip
    return form.format(inner)


def _binary(author: Author, kind: TensorKind, depth: int) -> str:
    left = tensor(author, kind, depth - 1)
    narrow = [k for k in (kind, kind, ROW, SINGLE) if k.shape == kind.shape[-len(k.shape) :] or not k.shape]  # fmt: skip
    right = tensor(author, author.pick(narrow), depth - 1)
    form = author.weighted([
        (4, "({} + {})"), (3, "({} - {})"), (1, "({} * {})"), (1, "torch.maximum({}, {})"),
        (1, "torch.minimum({}, {})"), (1, "torch.add({}, {})"), (0.5, "torch.where({0} > {1}, {0}, {1})"),
        (0.5, "({}).add({})"), (0.5, "({0} > {1}).float()"),
    ])  # fmt: skip
    return form.format(left, right)


def _with_number(author: Author, kind: TensorKind, depth: int) -> str:
    inner = tensor(author, kind, depth - 1)
    number = author.pick(CONSTANTS) if author.chance(0.6) else scalars.number(author, author.pick([FLOAT, scalars.INT]), 1)  # fmt: skip
    return author.pick(["({} + {})", "({} * {})", "({} - {})", "({1} - {0})", "({1} + {0})"]).format(
        inner, number
    )  # fmt: skip


def _matrix(author: Author, depth: int) -> str:
    a = tensor(author, MATRIX, depth - 1)
    r, s = tensor(author, ROW, depth - 1), tensor(author, ROW, depth - 1)
    options = [
        f"torch.stack([{r}, {s}])",
        f"torch.cat([({a})[:1], ({a})[1:]], dim=0)",
        f"({a}).flip(0)",
        f"({a})[[1, 0]]",
        f"({r}).unsqueeze(0).expand(2, 3)",
        f"({a}).t().contiguous().t()",
        f"({a}).reshape(3, 2).view(2, 3)",
        f"({a}).softmax(dim=1)",
        f"torch.cat([{a}, ({r}).unsqueeze(0)])[{author.pick(['1:', ':2', '::2'])}]",
        f"({a}).sum(1, keepdim=True) + {r}",
    ]
    if author.submodules:
        layer = author.pick(author.submodules)
        options += [f"{layer}({a})", f"torch.relu({layer}({a}))", f"{layer}({a}) + {a}"]
    return author.pick(options)


def _row(author: Author, depth: int) -> str:
    a, r = tensor(author, MATRIX, depth - 1), tensor(author, ROW, depth - 1)
    index = author.pick(["0", "1", "-1"])
    options = [
        f"({a})[{index}]",
        f"({a})[{scalars.number(author, scalars.INT, 1)} % 2]",
        f"({a}).sum(0)",
        f"({a}).mean(dim=0)",
        f"({a}).max(dim=0).values",
        f"({a}).max(0)[0]",
        f"({r}).flip(0)",
        f"torch.cat([({r})[:1], ({r})[1:]])",
        f"({r}).sort().values",
        f"({r})[torch.tensor([2, 0, 1])]",
        f"torch.stack([{tensor(author, SINGLE, depth - 1)}, {tensor(author, SINGLE, 0)}, {tensor(author, SINGLE, 0)}])",
    ]  # fmt: skip
    if author.submodules:
        options.append(f"{author.pick(author.submodules)}({r})")
    rows = author.named(lambda k: isinstance(k, ListKind) and k.element == ROW)
    sized = [n for n, k in rows if isinstance(k, ListKind) and author.scope.sizes[k.cell]]
    if sized:
        name = author.pick(sized)
        options += [f"torch.stack({name}).sum(0)", f"torch.stack({name})[-1]", f"sum({name})"]
    return author.pick(options)


def _pair(author: Author, depth: int) -> str:
    a, p = tensor(author, MATRIX, depth - 1), tensor(author, PAIR, depth - 1)
    options = [
        f"({a}).sum(1)",
        f"({a})[:, {author.pick(['0', '2', '-1'])}]",
        f"({a}).max(1).values",
        f"({a}).mean(-1)",
        f"({p}).flip(0)",
        f"({a})[:, {scalars.number(author, scalars.INT, 1)} % 3]",
        f"({tensor(author, ROW, depth - 1)})[1:]",
    ]
    return author.pick(options)


def _single(author: Author, depth: int) -> str:
    kind = author.pick([MATRIX, ROW, PAIR])
    a = tensor(author, kind, depth - 1)
    last = f"({a})" + {2: "[0, 1]", 1: "[-1]"}[len(kind.shape)]
    options = [f"({a}).sum()", f"({a}).max()", f"({a}).mean()", f"({a}).min()", last, f"torch.sum({a})"]  # fmt: skip
    if author.chance(0.15):
        options = [f"({a})[({a}) > 0.3].sum()", f"(({a}) > 0.3).sum().float()"]
    tokens = author.reads(TOKENS)
    if tokens and author.chance(0.2):
        options = [f"{author.pick(tokens)}.sum().float()", f"{author.pick(tokens)}.float().max()"]
    return author.pick(options)


def argument_of(author: Author, kind: Kind, depth: int) -> str:
    """Return an expression of any kind, for an argument or an element."""
    if isinstance(kind, TensorKind) and kind.element == "float":
        return tensor(author, kind, depth)
    return scalars.stored_or_written(author, kind, depth)


__all__ = ["FunctionKind", "argument_of", "leaf", "tensor"]

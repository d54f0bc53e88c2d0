"""Small rewritten programs, written by hand, and the modules they use."""

import ast
from collections.abc import Mapping, Sequence

import torch
from torch import nn

from rewriter.origin import Origin
from rewriter.parameters import Parameter, VariableInput
from rewriter.program import (
    Block,
    Branch,
    Copy,
    Function,
    HostStatement,
    Jump,
    KnownReference,
    Return,
    RewrittenProgram,
    ScalarSpec,
    TensorSpec,
    TensorStatement,
    Variable,
)


def origin(line: int, text: str = "") -> Origin:
    return Origin(
        file="gated.py", line=line, column=0, end_column=len(text), text=text, function="forward"
    )


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class GatedNet(nn.Module):
    """A convolution, a gate, and a block that runs only where the gate opens."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.gate = nn.Linear(8, 1)
        self.block = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.head = nn.Linear(8, 4)
        self.threshold = 0.5

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, bool]:
        x = torch.relu(self.stem(x))
        p = torch.sigmoid(self.gate(x.mean((2, 3)))).item()
        taken = p > self.threshold
        if taken:
            x = x + self.block(x)
        return self.head(x.mean((2, 3))), taken


def gated_net() -> GatedNet:
    """Return the net with seeded weights, in eval mode; its gate opens on half of the inputs."""
    torch.manual_seed(0)
    net = GatedNet().eval()
    with torch.no_grad():
        net.gate.weight.mul_(20)
        pooled = torch.relu(net.stem(torch.cat(images(64)))).mean((2, 3))
        net.gate.bias.sub_(net.gate(pooled).mean())
    return net


def images(count: int) -> list[torch.Tensor]:
    """Return seeded inputs of the net."""
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(1, 3, 6, 6, generator=generator) for _ in range(count)]


def known(name: str, path: str, value: object, where: tuple[str, str] | None) -> KnownReference:
    return KnownReference(name=name, path=path, value=value, import_path=where)


def gated_program(net: GatedNet) -> RewrittenProgram:
    """Return what the rewriter makes of ``GatedNet.forward``."""
    image = TensorSpec(dtype=torch.float32, shape=(1, 8, 6, 6))
    specs: dict[str, tuple[str, TensorSpec | ScalarSpec]] = {
        "x__0": ("x", TensorSpec(dtype=torch.float32, shape=(1, 3, 6, 6))),
        "x__1": ("x", image),
        "_t__2": ("_t", TensorSpec(dtype=torch.float32, shape=(1, 1))),
        "p__3": ("p", ScalarSpec(type=float)),
        "taken__4": ("taken", ScalarSpec(type=bool)),
        "x__5": ("x", image),
        "x__6": ("x", image),
        "_t__7": ("_t", TensorSpec(dtype=torch.float32, shape=(1, 4))),
    }
    knowns = [
        known("known_0", "torch.relu", torch.relu, ("torch", "relu")),
        known("known_1", "self.stem", net.stem, None),
        known("known_2", "torch.sigmoid", torch.sigmoid, ("torch", "sigmoid")),
        known("known_3", "self.gate", net.gate, None),
        known("known_4", "self.block", net.block, None),
        known("known_5", "self.head", net.head, None),
    ]
    blocks = {
        0: Block(
            statements=(
                _t(10, "x__1", "known_0(known_1(A))", A="x__0"),
                _t(11, "_t__2", "known_2(known_3(A.mean((2, 3))))", A="x__1"),
                _h(11, "p__3", "A.item()", A="_t__2"),
                _h(12, "taken__4", "A > 0.5", A="p__3"),
            ),
            terminator=Branch(
                condition=_e("A", A="taken__4"),
                if_true=1,
                if_false=2,
                origin=origin(13, "taken"),
            ),
        ),
        1: Block(
            statements=(_t(14, "x__5", "A + known_4(A)", A="x__1"), _copy("x__6", "x__5", 14)),
            terminator=Jump(target=3),
        ),
        2: Block(statements=(_copy("x__6", "x__1", 13),), terminator=Jump(target=3)),
        3: Block(
            statements=(_t(15, "_t__7", "known_5(A.mean((2, 3)))", A="x__6"),),
            terminator=Return(value=_e("(A, B)", A="_t__7", B="taken__4"), origin=origin(15)),
        ),
    }
    return program_of("gated", specs, knowns, blocks, {"x": "x__0"})


def program_of(
    name: str,
    specs: Mapping[str, tuple[str, TensorSpec | ScalarSpec]],
    knowns: Sequence[KnownReference],
    blocks: Mapping[int, Block],
    arguments: Mapping[str, str],
) -> RewrittenProgram:
    variables = {
        key: Variable(name=key, hint=hint, spec=spec) for key, (hint, spec) in specs.items()
    }
    entry = Function(
        name="forward",
        parameters=tuple(
            Parameter(
                name=argument,
                spec=VariableInput(variable=variable, spec=variables[variable].spec),
            )
            for argument, variable in arguments.items()
        ),
        variables=variables,
        blocks=blocks,
        entry=0,
    )
    return RewrittenProgram(
        name=name,
        entry=entry,
        knowns={reference.name: reference for reference in knowns},
        source_file=f"{name}.py",
    )


def _e(text: str, **names: str) -> ast.expr:
    """Return an expression with placeholders replaced by the evaluator's variable names."""
    tree = expression(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
    return tree


def _t(line: int, target: str, text: str, **names: str) -> TensorStatement:
    return TensorStatement(pattern=target, expression=_e(text, **names), origin=origin(line))


def _copy(target: str, source: str, line: int) -> Copy:
    return Copy(targets=(target,), sources=(ast.Name(source, ast.Load()),), origin=origin(line))


def _h(line: int, target: str, text: str, **names: str) -> HostStatement:
    return HostStatement(target=target, expression=_e(text, **names), origin=origin(line))

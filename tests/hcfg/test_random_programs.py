"""Random programs mean the same in order, as a graph, and after any selection of passes."""

from dataclasses import dataclass, field

import torch
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from torch import nn

from hcfg.interpret import Interpreter
from hcfg.passes import PASS_NAMES, run_passes
from rewriter.diagnostics import CompileError
from rewriter.program import Statement
from tests.hcfg.outcomes import describe, outcome
from tests.hcfg.programs import (
    Draft,
    branch,
    call,
    copy,
    from_host,
    give,
    graph_with,
    host,
    jump,
    tensor,
)
from tests.hcfg.sequential import run_sequentially

TENSORS = ("a", "b", "c", "d")
NUMBERS = ("p", "q")
KINDS = ("new", "view", "copy", "in place", "read", "number", "known", "from host")


@dataclass
class Aliases:
    """Which variables share storage, as far as this block has made them."""

    groups: list[set[str]] = field(default_factory=list)

    def of(self, name: str) -> set[str] | None:
        return next((group for group in self.groups if name in group), None)

    def forget(self, name: str) -> None:
        for group in self.groups:
            group.discard(name)

    def assign_new(self, name: str) -> None:
        self.forget(name)
        self.groups.append({name})

    def assign_alias(self, name: str, source: str) -> None:
        group = self.of(source)
        if name == source:
            return
        self.forget(name)
        if group is not None:
            group.add(name)


@st.composite
def straight_line(draw: st.DrawFn) -> list[Statement]:
    aliases = Aliases()
    line: list[Statement] = []
    for _ in range(draw(st.integers(0, 7))):
        line.append(draw_statement(draw, aliases))
    return line


def draw_statement(draw: st.DrawFn, aliases: Aliases) -> Statement:
    target, source, other = (draw(st.sampled_from(TENSORS)) for _ in range(3))
    number = draw(st.sampled_from(NUMBERS))
    kind = draw(st.sampled_from(KINDS))
    group = aliases.of(source)
    if kind == "in place" and group:
        text = draw(st.sampled_from([f"{source}.relu_()", f"{source}.add_({other})"]))
        return tensor(None, text, updates={name: name for name in sorted(group)})
    if kind == "view":
        aliases.assign_alias(target, source)
        text = draw(st.sampled_from([f"{source}.view(2, 2)", f"{source}.t()", f"same({source})"]))
        return tensor(target, text)
    if kind == "copy":
        aliases.assign_alias(target, source)
        return copy(**{target: source})
    if kind == "read":
        return host(number, f"{source}.sum().item()")
    if kind == "number":
        return host(number, draw(st.sampled_from(["p + q", "q * 0.5", "1.0", "p"])))
    aliases.assign_new(target)
    if kind == "known":
        return tensor(target, draw(st.sampled_from(["torch.ones(2, 2)", "fc.weight * 2"])))
    if kind == "from host":
        return from_host(target, f"[[{number}, 1.0], [p, q]]")
    return tensor(target, draw(st.sampled_from([f"fc({source})", f"{source} - {other}"])))


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """Nested arms, more arms, a loop of at most three rounds with two ways back, a line."""
    torch.manual_seed(0)
    fc = nn.Linear(2, 2)
    draft = Draft(
        tensors=dict.fromkeys(["x", *TENSORS], (2, 2)),
        knowns={"fc": fc, "torch": torch, "same": nn.Identity()},
        numbers=[*NUMBERS, "n"],
    )
    start = [copy(**dict.fromkeys(TENSORS, "x"), p="1.0", q="2.0", n="0.0")]
    draft.block(0, *start, *draw(straight_line()), end=branch("p > 0.0", 1, 2))
    draft.block(1, *draw(straight_line()), end=jump(4))
    draft.block(2, *draw(straight_line()), end=branch("q > 0.0", 3, 4))
    draft.block(3, *draw(straight_line()), end=jump(4))
    draft.block(4, *draw(straight_line()), end=branch("p > q", 5, 6))
    draft.block(5, *draw(straight_line()), end=jump(6))
    draft.block(6, *draw(straight_line()), end=branch("n < 3.0 and q < 10.0", 7, 9))
    draft.block(7, *draw(straight_line()), host("n", "n + 1.0"), end=branch("q > p", 8, 6))
    draft.block(8, *draw(straight_line()), end=jump(6))
    draft.block(9, *draw(straight_line()), end=give("(a, b, p, n)"))
    return draft


@settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(
    draft=drafts(),
    disabled=st.sets(st.sampled_from(PASS_NAMES)),
    scale=st.sampled_from([-1.0, 3.0]),
)
def test_graph_and_passes_keep_the_meaning(draft: Draft, disabled: set[str], scale: float) -> None:
    x = torch.tensor([[1.0, -2.0], [0.5, 3.0]]) * scale
    expected = describe(run_sequentially(draft.program(), [x.clone()]))
    graph = draft.graph()
    try:
        optimised = run_passes(graph, disabled).graph
    except CompileError as error:
        assert {diagnostic.code for diagnostic in error.diagnostics} == {"DYCL203"}
        assume(False)
    assert outcome(Interpreter(graph=graph), [x]).text == expected
    assert outcome(Interpreter(graph=optimised), [x]).text == expected


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(draft=drafts(), scale=st.sampled_from([-1.0, 3.0]))
def test_passes_keep_the_meaning_of_functions(draft: Draft, scale: float) -> None:
    x = torch.tensor([[1.0, -2.0], [0.5, 3.0]]) * scale
    caller = Draft(
        tensors=dict.fromkeys(["given", "first", "second"], (2, 2)),
        knowns={},
        numbers=["score", "rounds"],
        arguments=("given",),
    )
    pattern = ("first", "second", "score", "rounds")
    caller.block(0, call(pattern, "inner", "given"), end=give("(first, second, score, rounds)"))
    graph = graph_with(caller, inner=draft)
    try:
        optimised = run_passes(graph).graph
    except CompileError as error:
        assert {diagnostic.code for diagnostic in error.diagnostics} == {"DYCL203"}
        assume(False)
    expected = describe(run_sequentially(draft.program(), [x.clone()]))
    assert outcome(Interpreter(graph=optimised), [x]).text == expected

"""Structuring, first half: the graph as nested code with jumps to named places.

After Ramsey, 'Beyond Relooper' (ICFP 2022): what a node dominates is placed inside or
after its own code; a node with several ways in is placed after the code of its immediate
dominator, and whoever goes on there *falls through* to it or jumps.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Generic

from rewriter.printing.drafts import Choice, Draft, DraftItem, Goto, Scope, TooDeep, choice_of
from rewriter.printing.flow_graph import FlowGraph
from rewriter.printing.structured import Node, Straight

MAX_NESTED_JOINS = 4
"""How deep if/else may nest towards one join before the region is laid out flat."""
MAX_ELIF = 24
"""How many arms an elif chain may have before it is laid out flat."""


MAX_DEPTH = 80
"""How deep regions may nest; Python allows 100 levels of indentation."""


@dataclass(slots=True)
class Drafting(Generic[Node]):
    """Places every node of a graph once."""

    graph: FlowGraph[Node]
    tests: Collection[Node]
    """Nodes that are nothing but a test."""
    _open: list[tuple[Node | None, Node | None]] = field(default_factory=list)
    """Head and follow of the scopes around the current place, innermost last."""
    _after_loops: set[Node] = field(default_factory=set)
    """Nodes dominated from inside a loop, but placed after it."""
    _depth: int = 0
    _wanted: set[Node] = field(default_factory=set)
    """Nodes that a jump leads to for which a region must be opened."""

    def region(self, node: Node, follow: Node | None) -> "Draft[Node]":
        """Place a node and what it dominates; the end of the code leads to ``follow``."""
        if self._depth == MAX_DEPTH:
            raise TooDeep
        self._depth += 1
        placed: list[DraftItem[Node]] = []
        current: Node | None = node
        while current is not None:
            is_open = any(head == current for head, _ in self._open)
            if current in self.graph.loops and not is_open:
                current = self._place_loop(current, follow, placed)
            else:
                current = self._place(current, follow, placed)
        self._depth -= 1
        return tuple(placed)

    def _place(self, node: Node, follow: Node | None, placed: list[DraftItem[Node]]) -> Node | None:
        """Place one node; return the node to go on with in the same straight line."""
        merges = [
            child
            for child in self.graph.children[node]
            if self.graph.forward_edges[child] > 1 and child not in self._after_loops
        ]
        code, continuation = self._code(node, merges[0] if merges else follow)
        if not merges:
            placed.extend(code)
            return continuation
        if continuation is not None:
            code = (*code, *self.region(continuation, merges[0]))
        return self._place_followers(code, merges, placed)

    def _place_followers(
        self,
        code: "Draft[Node]",
        followers: Sequence[Node],
        placed: list[DraftItem[Node]],
    ) -> Node:
        """Place nodes one after the other behind code that leads to each of them."""
        for index, follower in enumerate(followers):
            if follower in self._wanted:
                code = (Scope(head=None, follow=follower, body=code),)
            if index + 1 < len(followers):
                code = (*code, *self.region(follower, followers[index + 1]))
        placed.extend(code)
        return followers[-1]

    # --- the end of a node ------------------------------------------------------------

    def _code(self, node: Node, follow: Node | None) -> "tuple[Draft[Node], Node | None]":
        """Return a node's own code and the node to go on with behind it."""
        leaving = self.graph.successors[node]
        own: Draft[Node] = () if node in self.tests else (Straight(node=node),)
        match leaving:
            case ():
                return own, None
            case (after,):
                if self._is_arm(node, after):
                    return own, after
                return (*own, *self._goto(after, follow)), None
            case _:
                code, continuation = self._branch(node, follow)
                return (*own, *code), continuation

    def _branch(self, node: Node, follow: Node | None) -> "tuple[Draft[Node], Node | None]":
        if_true, if_false = self.graph.successors[node]
        true_falls = self._falls(node, if_true, follow)
        false_falls = self._falls(node, if_false, follow)
        if true_falls and false_falls:
            if follow is not None and self._is_deep(node, follow):
                return self._flat(node, follow), None
            then, orelse = (self._arm(node, arm, follow) for arm in (if_true, if_false))
            return (choice_of(node, then, orelse),), None
        inside, outside, negated = if_true, if_false, False
        if true_falls or (not false_falls and self._is_much_smaller(node, if_false, if_true)):
            inside, outside, negated = if_false, if_true, True
        then = self._arm(node, inside, follow)
        guard = Choice(node=node, negated=negated, then=then, orelse=())
        if self._is_arm(node, outside):
            return (guard,), outside
        return (guard, *self._goto(outside, follow)), None

    def _flat(self, node: Node, follow: Node) -> "Draft[Node]":
        """Lay out a test with jumps to ``follow`` in place of if/else towards it."""
        is_once = not self._open or follow not in self._open[-1]
        if is_once:
            self._open.append((None, follow))
        code, continuation = self._branch(node, None)
        if continuation is not None:
            code = (*code, *self.region(continuation, None))
        if not is_once:
            return code
        self._open.pop()
        return (Scope(head=None, follow=follow, body=code),)

    def _is_arm(self, node: Node, after: Node) -> bool:
        """Return whether ``after`` is placed where ``node`` leads to it."""
        return (
            self.graph.parent.get(after) == node
            and self.graph.forward_edges[after] == 1
            and after not in self._after_loops
        )

    def _arm(self, node: Node, after: Node, follow: Node | None) -> "Draft[Node]":
        if self._is_arm(node, after):
            return self.region(after, follow)
        return self._goto(after, follow)

    def _falls(self, node: Node, after: Node, follow: Node | None) -> bool:
        """Return whether control may reach ``follow`` through an arm."""
        if follow is None:
            return False
        if self._is_arm(node, after):
            return follow in self.graph.frontier[after]
        return after == follow

    def _goto(self, target: Node, follow: Node | None) -> "Draft[Node]":
        if target == follow:
            return ()
        if not any(target in scope for scope in self._open):
            self._wanted.add(target)
        return (Goto(target=target),)

    def _size(self, node: Node, after: Node) -> int:
        return self.graph.size[after] if self._is_arm(node, after) else 0

    def _is_much_smaller(self, node: Node, left: Node, right: Node) -> bool:
        return 4 * self._size(node, left) < self._size(node, right)

    # --- how deep it would get --------------------------------------------------------

    def _is_deep(self, node: Node, follow: Node) -> bool:
        """Return whether if/else from this test on nests too deep on the way to ``follow``."""
        levels = elifs = 0
        current: Node | None = node
        while current is not None:
            leaving = self.graph.successors[current]
            falling = [arm for arm in leaving if self._falls(current, arm, follow)]
            if len(falling) == 2:
                levels += 0 if levels and current in self.tests else 1
                elifs += 1
            if levels > MAX_NESTED_JOINS or elifs > MAX_ELIF:
                return True
            current = self._next_towards(current, falling, follow)
        return False

    def _next_towards(self, node: Node, falling: Sequence[Node], follow: Node) -> Node | None:
        """Return the next node on the longest way to ``follow``."""
        later = [
            child
            for child in self.graph.children[node]
            if child != follow
            and self.graph.forward_edges[child] > 1
            and follow in self.graph.frontier[child]
        ]
        if later:
            return later[-1]
        arms = [arm for arm in falling if self._is_arm(node, arm)]
        return max(arms, key=lambda arm: self.graph.size[arm], default=None)

    # --- loops ------------------------------------------------------------------------

    def _place_loop(
        self, head: Node, follow: Node | None, placed: list[DraftItem[Node]]
    ) -> Node | None:
        """Place a loop and what comes after it; return the node to go on with."""
        after, leads_to = self._after_loop(head, follow)
        self._after_loops.update(after)
        self._open.append((head, leads_to))
        body = self.region(head, head)
        self._open.pop()
        loop = Scope(head=head, follow=leads_to, body=body)
        if after:
            return self._place_followers((loop,), after, placed)
        placed.append(loop)
        if leads_to is not None:
            placed.extend(self._goto(leads_to, follow))
        return None

    def _after_loop(self, head: Node, follow: Node | None) -> tuple[Sequence[Node], Node | None]:
        """Return what to place after a loop, and where leaving the loop leads.

        The other exits are placed inside the loop, where they leave it.
        """
        members = self.graph.loops[head]
        outside = sorted(
            (
                child
                for member in members
                for child in self.graph.children[member]
                if child not in members and child not in self._after_loops
            ),
            key=self.graph.number.__getitem__,
        )
        merges = [node for node in outside if self.graph.forward_edges[node] > 1]
        if merges:
            return merges, merges[0]
        reached = self._reached(members, outside)
        common = self._most_reached(reached, follow)
        arms = [arm for arm in outside if self.graph.innermost[self.graph.parent[arm]] == head]
        if common is not None:
            arms = [arm for arm in arms if common in self.graph.frontier[arm]]
            if reached[common] > 1 or not arms:
                return (), common
        if not arms:
            return (), None
        arm = max(arms, key=lambda arm: (self.graph.parent[arm] == head, self.graph.size[arm]))
        return (arm,), arm

    def _reached(self, members: Collection[Node], arms: Sequence[Node]) -> Counter[Node]:
        """Count through how many exits of a loop each node further out is reached."""
        inside = frozenset(members)
        reached = Counter(
            after
            for member in members
            for after in self.graph.successors[member]
            if after not in inside and after not in arms
        )
        for arm in arms:
            # The head of a further loop leads back to itself.
            reached.update(self.graph.frontier[arm] - inside - {arm})
        return reached

    def _most_reached(self, reached: Counter[Node], follow: Node | None) -> Node | None:
        if follow is not None and reached[follow]:
            return follow
        return max(
            (node for node in reached if reached[node]),
            key=lambda node: (reached[node], -self.graph.number[node]),
            default=None,
        )

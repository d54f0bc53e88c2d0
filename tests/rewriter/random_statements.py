"""Random statements over integers and mutable boxes."""

import ast
from dataclasses import dataclass

from rewriter.program import HostSpec, HostStatement, ScalarSpec, TensorStatement
from tests.rewriter.random_writer import BOXES, INTEGERS, NUMBER, Writer


@dataclass(slots=True)
class StatementMaker(Writer):
    """Writes random statements without control flow."""

    def simple(self) -> None:
        """Write one statement."""
        kinds = "sum sum swap note bump alias pair parts copy dead constant"
        kind = self.random.choice(kinds.split())
        name = self.random.choice(INTEGERS)
        match kind:
            case "sum":
                self.assign(name, self.sum())
            case "constant":
                constant = f"constant_{len(self.variables)}"
                self.assign(constant, self.sum())
                self.constants.append(constant)
            case "dead":
                target = self.variable("unused", NUMBER)
                value = self.read(self.sum())
                self.emit(HostStatement(target=target, expression=value, origin=self.here()))
            case "copy" | "swap":
                other = self.random.choice(INTEGERS)
                mine, others = self.version[name], self.version[other]
                self.version[name] = others
                self.version[other] = mine if kind == "swap" else others
            case "note":
                self.note()
            case "alias":
                self.version["p"] = self.version["q"]
            case "bump":
                self.bump()
            case "pair":
                self.pair()
            case "parts":
                self.parts(name)

    def note(self) -> None:
        """Write an effect."""
        known = self.random.choice([*INTEGERS, *BOXES])
        text = f"note({self._line}, {self.random.choice(INTEGERS)}, {known})"
        target = self.variable("_seen", ScalarSpec(type=bool))
        self.emit(
            HostStatement(
                target=self.random.choice([None, target]),
                expression=self.read(text),
                origin=self.here(),
                effect=True,
            )
        )

    def bump(self) -> None:
        """Change a box in place."""
        name = self.random.choice(BOXES)
        old = {n: self.version[n] for n in BOXES if n == name or self.random.random() < 0.3}
        new = {n: self.variable(self.hint(n), self.variables[v].spec) for n, v in old.items()}
        result = self.variable("r", HostSpec(description="box"))
        # Two of the user's variables may be one variable here: it is updated once.
        updates = {old[n]: new[n] for n in old}
        value = self.read(f"bump({name}, {self.random.choice(INTEGERS)})")
        self.emit(
            TensorStatement(
                pattern=self.random.choice([None, result]),
                expression=value,
                origin=self.here(),
                updates=tuple((n, o) for o, n in updates.items()),
            )
        )
        self.version = {n: updates.get(v, v) for n, v in self.version.items()}

    def pair(self) -> None:
        """Take a tuple apart."""
        left, right = self.random.sample(INTEGERS, 2)
        value = self.read(f"pair({left}, {right})")
        targets = tuple(self.variable(self.hint(name), NUMBER) for name in (left, right))
        self.emit(TensorStatement(pattern=targets, expression=value, origin=self.here()))
        self.version[left], self.version[right] = targets

    def parts(self, name: str) -> None:
        """Compute with temporaries, in and out of order."""
        version = dict(self.version)
        for part in ("_left", "_right"):
            self.version[part] = self.variable(part, NUMBER)
            text = self.random.choice([self.sum(), f"note({self._line}, {name})"])
            names = {**self.version, part: ""}
            value = ast.parse(text, mode="eval").body
            for node in ast.walk(value):
                if isinstance(node, ast.Name):
                    node.id = names.get(node.id) or node.id
            self.emit(
                HostStatement(
                    target=self.version[part],
                    expression=value,
                    origin=self.here(),
                    effect="note" in text,
                )
            )
        sums = ["_left - _right", "_right - _left", "p.total + _left", "q.total * 2 - _right"]
        text = self.random.choice(sums)
        value = self.read(text)
        self.version = version
        target = self.variable(self.hint(name), NUMBER)
        self.emit(HostStatement(target=target, expression=value, origin=self.here()))
        self.version[name] = target

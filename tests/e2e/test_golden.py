"""What is generated for SkipNet-38, word for word: look at it when it changes."""

import re
from pathlib import Path

from hcfg.dump import dump
from tests.e2e.compiled_zoo import CompiledZoo
from tests.golden import check_golden

GOLDEN = Path(__file__).parent / "golden" / "skipnet38"


def test_host_program(zoo: CompiledZoo, update_golden: bool) -> None:
    _, compiled = zoo.model("SkipNet-38")
    check_golden(GOLDEN / "host.txt", compiled.host_source, update_golden)


def test_rewritten_program(zoo: CompiledZoo, update_golden: bool) -> None:
    _, compiled = zoo.model("SkipNet-38")
    check_golden(GOLDEN / "rewritten.txt", compiled.rewritten_source, update_golden)


def test_graph(zoo: CompiledZoo, update_golden: bool) -> None:
    _, compiled = zoo.model("SkipNet-38")
    assert compiled.hcfg is not None
    check_golden(GOLDEN / "hcfg.txt", renumbered(dump(compiled.hcfg)), update_golden)


def renumbered(text: str) -> str:
    """Number variables by appearance: the evaluator counts all that it ever made."""
    numbers: dict[str, int] = {}
    return re.sub(r"(?<=__)\d+\b", lambda m: str(numbers.setdefault(m[0], len(numbers))), text)

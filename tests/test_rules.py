"""The rules of this repository that no other tool checks. A rule holds because this fails."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("rewriter", "hcfg", "codegen_host", "dycl")
MOST_LINES = 300
CODE = re.compile(r"\bDYCL\d{3}\b")

# programs of the corpus are test data, written as users write them
DATA = ROOT / "tests" / "language" / "programs"


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def own_sources() -> list[Path]:
    return [p for p in sources(*ROOMS, "zoo", "tests") if not p.is_relative_to(DATA)]


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def codes_in(path: Path) -> set[str]:
    return set(CODE.findall(path.read_text(encoding="utf-8")))


def imports(path: Path) -> Iterator[str]:
    """Yield the top-level packages that a file imports, wherever it does so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                yield from (alias.name.partition(".")[0] for alias in node.names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]


@pytest.mark.parametrize("path", own_sources(), ids=relative)
def test_file_is_short_and_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert ast.get_docstring(ast.parse(text)), "no docstring on the first line"


def test_no_file_is_a_drawer() -> None:
    names = {"utils.py", "util.py", "helpers.py", "misc.py", "common.py"}
    assert [relative(p) for p in own_sources() if p.name in names] == []


def test_room_doors_open_one_way() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_room_imports_the_zoo_or_the_tests() -> None:
    found = [
        f"{relative(path)} imports {name}"
        for path in sources(*ROOMS)
        for name in imports(path)
        if name in {"zoo", "tests"}
    ]
    assert found == []


def test_zoo_models_need_pytorch_only() -> None:
    # scripts may print tables; what a model imports is what counts
    allowed = set(sys.stdlib_module_names) | {"torch", "numpy", "sklearn", "safetensors", "zoo"}
    found = [
        f"{relative(path)} imports {name}"
        for path in sorted((ROOT / "zoo").glob("*.py"))
        if "__main__" not in path.read_text(encoding="utf-8")
        for name in imports(path)
        if name not in allowed
    ]
    assert found == []


def test_no_todo_without_an_issue() -> None:
    pattern = re.compile(r"\b(TODO|FIXME|XXX)\b(?!.*#\d+)")
    here = Path(__file__)
    found = [
        f"{relative(path)}:{number}"
        for path in own_sources()
        if path != here
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if pattern.search(line)
    ]
    assert found == []


def diagnostic_codes() -> list[str]:
    return sorted({code for path in sources(*ROOMS) for code in codes_in(path)})


def test_every_diagnostic_code_is_documented() -> None:
    documented = codes_in(ROOT / "docs" / "language.md")
    assert sorted(set(diagnostic_codes()) - documented) == []


def test_every_documented_code_exists() -> None:
    assert sorted(codes_in(ROOT / "docs" / "language.md") - set(diagnostic_codes())) == []


def test_every_diagnostic_code_has_a_refusal_case() -> None:
    here = Path(__file__)
    tested = {code for path in sources("tests") if path != here for code in codes_in(path)}
    assert sorted(set(diagnostic_codes()) - tested) == []


def test_every_pass_has_a_golden_case() -> None:
    golden = ROOT / "tests" / "hcfg" / "golden"
    passes = {path.stem for path in sources("hcfg/passes") if defines_a_pass(path)}
    assert passes, "no pass was found: has the folder moved?"
    covered = {folder.name for folder in golden.iterdir() if folder.is_dir()}
    missing = {name for name in passes if not any(folder.startswith(name) for folder in covered)}
    assert sorted(missing) == []


def defines_a_pass(path: Path) -> bool:
    """Return whether a file holds a class with a ``name`` and a ``run``."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            members = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            annotated = {ast.unparse(n.target) for n in node.body if isinstance(n, ast.AnnAssign)}
            if "run" in members and "name" in annotated:
                return True
    return False

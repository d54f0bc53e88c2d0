"""``FILE[:TARGET]``: every way to name a model, and every way to get it wrong."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
import torch
from torch import nn

from dycl.errors import UserError
from dycl.target import resolve_target

HEAD = "import torch\nfrom torch import nn\n"
NET = """
class Net(nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        return self.layer(x)

    def early_exit(self, x):
        return x
"""


@pytest.fixture(autouse=True)
def _clean_imports() -> Iterator[None]:
    paths, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = paths
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def write(tmp_path: Path, body: str, name: str = "net.py") -> str:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(HEAD + dedent(body))
    return str(file)


def refusal(text: str, method: str = "forward") -> str:
    with pytest.raises(UserError) as caught:
        resolve_target(text, method)
    return caught.value.render()


def test_only_module_class_is_built_in_eval_mode(tmp_path: Path) -> None:
    target = resolve_target(write(tmp_path, NET))
    assert target.name == "Net"
    assert isinstance(target.model, nn.Module)
    assert not target.model.training


def test_build_model_comes_first_and_is_left_as_it_is(tmp_path: Path) -> None:
    target = resolve_target(write(tmp_path, NET + "\ndef build_model():\n    return Net(5)\n"))
    assert isinstance(target.model, nn.Module)
    assert target.model.training
    assert target.entry is target.model


def test_named_targets(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        NET
        + """
class Other(Net):
    pass

net = Net(4)

def build_wide():
    return Net(9)

def double(x):
    return x * 2
""",
    )
    assert type(resolve_target(f"{file}:Other").model).__name__ == "Other"
    instance = resolve_target(f"{file}:net").model
    assert isinstance(instance, nn.Module)
    wide = resolve_target(f"{file}:build_wide").model
    assert isinstance(wide, nn.Module)
    assert wide.get_submodule("layer").in_features == 9
    assert resolve_target(f"{file}:double").entry(3) == 6


def test_method(tmp_path: Path) -> None:
    target = resolve_target(write(tmp_path, NET), "early_exit")
    assert target.entry(5) == 5


def test_random_weights_are_the_same_each_time(tmp_path: Path) -> None:
    first, second = (resolve_target(write(tmp_path, NET)).model for _ in range(2))
    assert isinstance(first, nn.Module)
    assert isinstance(second, nn.Module)
    assert torch.equal(next(first.parameters()), next(second.parameters()))


def test_file_in_a_package_imports_its_neighbours(tmp_path: Path) -> None:
    write(tmp_path, "", "netpack/__init__.py")
    write(tmp_path, NET, "netpack/layers.py")
    file = write(
        tmp_path,
        "from netpack.layers import Net\nfrom . import layers\ndef build_model(): return Net()\n",
        "netpack/top.py",
    )
    assert resolve_target(file).module.__name__ == "netpack.top"


def test_files_of_the_same_name_are_kept_apart(tmp_path: Path) -> None:
    one = resolve_target(write(tmp_path, NET, "a/net.py"))
    two = resolve_target(write(tmp_path, NET.replace("Net", "Web"), "b/net.py"))
    assert (one.name, two.name) == ("Net", "Web")


def test_missing_file(tmp_path: Path) -> None:
    assert "net.py does not exist" in refusal(str(tmp_path / "net.py"))


def test_directory(tmp_path: Path) -> None:
    assert "is a directory; expected a Python file" in refusal(str(tmp_path))


def test_not_python(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    assert "net.py is not a Python file" in refusal(str(tmp_path / "net.py"))


def test_syntax_error_shows_the_line(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, "def forward(x:\n    pass\n"))
    assert "line 3" in text
    assert "def forward(x:" in text


def test_failing_import_shows_the_users_frames_only(tmp_path: Path) -> None:
    text = refusal(
        write(tmp_path, "def broken():\n    torch.zeros(2) @ torch.zeros(3)\nbroken()\n")
    )
    assert "net.py cannot be imported" in text
    assert "torch.zeros(2) @ torch.zeros(3)" in text
    assert "RuntimeError" in text
    assert "importlib" not in text
    assert not re.search(r"/dycl/\w+\.py", text)


def test_import_of_something_not_installed(tmp_path: Path) -> None:
    assert "No module named 'nonexistent_package'" in refusal(
        write(tmp_path, "import nonexistent_package\n")
    )


def test_script_that_exits(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, "raise SystemExit(4)\n"))
    assert "ended the process while it was imported (exit status 4)" in text
    assert "__main__" in text


def test_no_model(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, "net = nn.Linear(1, 1)\n"))
    assert "defines no model" in text
    assert "net.py:net" in text


def test_several_models(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, NET + "\nclass Second(Net):\n    pass\n"))
    assert "defines several models: Net, Second" in text
    assert "net.py:Second" in text


def test_unknown_target_lists_candidates(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, NET + "\ndef build_wide():\n    return Net(9)\n") + ":Nett")
    assert "has no 'Nett'" in text
    assert "net.py:Net, " in text
    assert "net.py:build_wide" in text


def test_target_that_is_no_name(tmp_path: Path) -> None:
    assert "is not a Python name" in refusal(write(tmp_path, NET) + ":Net()")


def test_constructor_that_needs_arguments(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, NET.replace("width=3", "width, depth")))
    assert "needs width, depth" in text
    assert "def build_model(): return Net(...)" in text


def test_constructor_that_fails(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, NET.replace("width=3", "width=-1")))
    assert "Net() fails" in text
    assert "RuntimeError" in text


def test_factory_that_returns_something_else(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, "def build_model():\n    return 3\n"))
    assert "build_model() returned a int; expected an nn.Module" in text


def test_target_that_is_a_number(tmp_path: Path) -> None:
    assert ":width is a int" in refusal(write(tmp_path, NET + "\nwidth = 3\n") + ":width")


def test_unknown_method_lists_the_methods(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, NET), "generate")
    assert "Net has no method 'generate'" in text
    assert "forward, early_exit" in text


def test_method_of_a_function(tmp_path: Path) -> None:
    text = refusal(write(tmp_path, "def double(x): return x * 2\n") + ":double", "generate")
    assert "double is a function: it has no method 'generate'" in text

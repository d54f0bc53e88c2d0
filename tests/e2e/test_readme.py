"""The README's example is what dycl writes."""

import re
from pathlib import Path

import torch

import dycl
from dycl.target import resolve_target
from tests.e2e.compiled_zoo import CompiledZoo

README = Path(__file__).parents[2] / "README.md"


def test_example_is_the_generated_text(zoo: CompiledZoo, tmp_path: Path) -> None:
    model, host = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)[:2]
    file = tmp_path / "early.py"
    file.write_text(model, encoding="utf-8")
    compiled = dycl.compile(
        resolve_target(str(file), "forward").model,
        (torch.zeros(1, 8),),
        output=tmp_path / "early_dycl",
        options=dycl.CompileOptions(cache_directory=zoo.cache),
    )
    assert compiled.host_source.endswith(host)

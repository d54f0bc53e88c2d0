"""Manifests are JSON with an entry to a line."""

import json

import pytest

from codegen_host.json_text import json_text

NESTED = {"files": {f"file {n}": {"shape": [n, 3], "uses": []} for n in range(9)}, "none": None}

NUMBERS = [number * 1.25 for number in range(90)]


@pytest.mark.parametrize(
    "value", [NESTED, [], {}, [[], {}], ["é" * 200], {"a": ["b" * 98, 1]}, 1.5, [NUMBERS]]
)
def test_the_value_is_kept(value: object) -> None:
    assert json.loads(json_text(value)) == value


def test_what_fits_stands_on_a_line() -> None:
    lines = json_text(NESTED).splitlines()
    assert lines[:3] == ["{", ' "files":{', '  "file 0":{"shape":[0,3],"uses":[]},']
    assert len(lines) == 9 + 5


def test_an_entry_is_never_broken() -> None:
    entries = [{"id": number, "numbers": NUMBERS} for number in range(3)]
    lines = json_text({"graph": {"nodes": entries}}).splitlines()
    assert lines[:3] == ["{", ' "graph":{', '  "nodes":[']
    assert [json.loads(line.removesuffix(",")) for line in lines[3:6]] == entries
    assert lines[6:] == ["  ]", " }", "}"]


def test_no_json_value_is_refused() -> None:
    with pytest.raises(TypeError):
        json_text({"a": object()})

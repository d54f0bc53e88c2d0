"""The catalog is complete: names are unique, each model is in the file of its family."""

import importlib

import pytest
import torch

from zoo.catalog import CATALOG, PICTURES, SEQUENCES, Entry, Family

LIGHT = [entry for entry in CATALOG if not entry.heavy]


def test_names_are_unique() -> None:
    names = [entry.name for entry in CATALOG]
    assert len(set(names)) == len(names)
    assert sorted(names) == sorted(entry.name for entry in (*PICTURES, *SEQUENCES))


def test_each_model_is_in_the_file_of_its_family() -> None:
    for family in Family:
        file = importlib.import_module(f"zoo.families.{family.name.lower()}")
        assert tuple(entry for entry in CATALOG if entry.family is family) == file.ENTRIES


def test_each_model_names_a_paper_with_its_year() -> None:
    for entry in CATALOG:
        paper = entry.source.partition(";")[0]
        assert paper[-4:].isdigit(), entry.source


@pytest.mark.parametrize("entry", LIGHT, ids=lambda entry: entry.name)
def test_a_model_is_the_same_whatever_was_drawn_before(entry: Entry) -> None:
    torch.manual_seed(1)
    first = entry.build().state_dict()
    torch.manual_seed(2)
    second = entry.build().state_dict()
    for name, tensor in first.items():
        assert torch.equal(tensor, second[name]), name

"""Drawings: complete, well-formed, and readable without any other file."""

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from hcfg.draw import to_dot, to_html, to_json, to_svg
from hcfg.draw.layout import Place, lay_out
from hcfg.draw.picture import picture_of
from hcfg.graph import Hcfg
from tests.golden import check_golden
from tests.hcfg.programs import Draft, branch, fail, give, host, jump, tensor

SVG = "{http://www.w3.org/2000/svg}"


def graph() -> Hcfg:
    draft = Draft(
        tensors={"x": (1, 4), "y": (1, 4)},
        knowns={"fc": nn.Linear(4, 4), "ValueError": ValueError},
        numbers=["p", "_number"],
    )
    draft.block(0, tensor("y", "fc(x)"), end=jump(1))
    draft.block(
        1,
        tensor("y", "fc(y)"),
        host("p", "y[0, 0].item()"),
        host("_number", "p < 3.0 & 1"),
        end=branch("_number", 2, 3),
    )
    draft.block(2, tensor("y", "y + 1"), end=jump(1))
    draft.block(3, end=branch("p > 9.0", 4, 5))
    draft.block(4, end=fail("ValueError('p > \"9\"')"))
    draft.block(5, end=give("y"))
    return draft.graph()


def chain(length: int) -> Hcfg:
    draft = Draft(tensors={"x": (1, 4)}, knowns={"fc": nn.Linear(4, 4)}, numbers=["p"])
    for number in range(length):
        first = 2 * number
        draft.block(first, host("p", "x[0, 0].item()"), end=branch("p > 0.0", first + 1, first + 2))
        draft.block(first + 1, tensor("x", "fc(x)"), end=jump(first + 2))
    draft.block(2 * length, end=give("x"))
    return draft.graph()


def test_svg_shows_every_node_with_its_lines() -> None:
    drawn = graph()
    root = ElementTree.fromstring(to_svg(drawn))
    groups = {group.get("id"): group for group in root.iter(f"{SVG}g")}
    assert set(groups) == set(drawn.nodes)
    texts = [text.text for text in groups["subdnn_1"].iter(f"{SVG}text")]
    assert texts == ["subdnn_1 · net.py:2", "2  line 2"]
    texts = [text.text for text in groups["branch_0"].iter(f"{SVG}text")]
    assert texts == ["branch_0 · net.py:5", "if p < 3.0 & 1"]
    labels = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "label"]
    assert sorted(str(label) for label in labels) == ["false", "false", "true", "true"]
    paths = [path for path in root.iter(f"{SVG}path") if path.get("class")]
    assert len(paths) == len(picture_of(drawn).arrows)
    assert [path.get("class") for path in paths].count("arrow back") == 1


def overlap(one: Place, other: Place) -> bool:
    apart = (
        one.x + one.width <= other.x
        or other.x + other.width <= one.x
        or one.y + one.height <= other.y
        or other.y + other.height <= one.y
    )
    return not apart


def test_boxes_of_a_long_chain_do_not_overlap_and_stay_inside() -> None:
    layout = lay_out(picture_of(chain(50)))
    places = list(layout.places.values())
    assert len(places) > 150
    for index, place in enumerate(places):
        assert place.x >= 0
        assert place.y >= 0
        assert place.x + place.width <= layout.width
        assert place.y + place.height <= layout.height
        assert not any(overlap(place, other) for other in places[index + 1 :])


def test_arrows_start_and_end_at_their_boxes() -> None:
    layout = lay_out(picture_of(graph()))

    def at_border(point: tuple[float, float], place: Place) -> bool:
        x, y = point
        inside = place.x - 1 <= x <= place.x + place.width + 1
        return inside and min(abs(y - place.y), abs(y - place.y - place.height)) < 1

    for route in layout.routes:
        assert at_border(route.points[0], layout.places[route.arrow.source])
        assert at_border(route.points[-1], layout.places[route.arrow.target])


def test_drawings_are_the_same_every_time() -> None:
    for draw in (to_svg, to_html, to_dot, to_json):
        assert draw(graph()) == draw(graph())


def test_html_loads_nothing() -> None:
    page = to_html(graph())
    assert page.startswith("<!doctype html>")
    assert not re.search(r"(src|href)=|@import|url\((?!#)", page)
    assert page.count("<svg") == 1
    assert "loop head" in page
    assert "sub-DNN" in page


def test_names_are_escaped() -> None:
    odd = replace(graph(), name='<b>&"net"')
    ElementTree.fromstring(to_svg(odd))
    assert "<b>" not in to_html(odd)
    assert to_dot(odd).startswith('digraph "<b>&\\"net\\"" {')


@pytest.mark.parametrize("name", ["graph.dot", "graph.json"])
def test_text_formats(name: str, update_golden: bool) -> None:
    draw = {"graph.dot": to_dot, "graph.json": to_json}[name]
    check_golden(Path(__file__).parent / "golden" / "drawing" / name, draw(graph()), update_golden)


def test_json_holds_borders_and_source() -> None:
    found = json.loads(to_json(graph()))
    assert found["format"] == 1
    node = next(node for node in found["nodes"] if node["id"] == "subdnn_2")
    assert node["inputs"] == node["outputs"] == [{"name": "y", "type": "float32[1, 4]"}]
    assert node["source"] == [
        {"file": "net.py", "line": 6, "text": "line 6", "function": "Net.forward"}
    ]
    assert {
        "source": "subdnn_2",
        "target": "loop_0",
        "outcome": None,
        "closes_loop": True,
    } in found["edges"]


def test_long_code_is_cut() -> None:
    draft = Draft(tensors={"x": (1, 4)}, knowns={"torch": torch})
    draft.block(0, *(tensor("x", f"x + {number}") for number in range(20)), end=give("x"))
    box = picture_of(draft.graph()).boxes[1]
    assert len(box.lines) == 8
    assert box.lines[-2:] == ("... 13 more lines", "20  line 20")
    assert len(box.details) > 20

"""torchvision's operator that leaves out boxes which overlap better ones, through ONNX Runtime.

torchvision need not be installed: its operator is then defined here, as its kernel works.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor

import dycl


def _kernel(boxes: Tensor, scores: Tensor, threshold: float) -> Tensor:
    """Do what torchvision's kernel for the CPU does."""
    order = scores.sort(stable=True, descending=True)[1].tolist()
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept: list[int] = []
    for i in order:
        low, high = (
            torch.maximum(boxes[:, :2], boxes[i, :2]),
            torch.minimum(boxes[:, 2:], boxes[i, 2:]),
        )
        shared = (high - low).clamp(min=0).prod(1)
        overlap = shared / (area + area[i] - shared)
        if not any(overlap[j].item() > threshold for j in kept):
            kept.append(i)
    return torch.tensor(kept, dtype=torch.int64)


def _of_any_size(boxes: Tensor, scores: Tensor, threshold: float) -> Tensor:
    return boxes.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.int64)


@pytest.fixture(scope="module", autouse=True)
def operator() -> Iterator[None]:
    if hasattr(torch.ops.torchvision, "nms"):
        yield
        return
    with torch.library._scoped_library("torchvision", "DEF") as library:
        library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        library.impl("nms", _kernel, "CPU")
        torch.library.register_fake("torchvision::nms", _of_any_size, lib=library)
        yield
    if "nms" in vars(torch.ops.torchvision):
        del torch.ops.torchvision.nms


def chosen(boxes: Tensor, scores: Tensor) -> Tensor:
    kept: Tensor = torch.ops.torchvision.nms(boxes, scores, 0.5)
    if scores.sum() > 100:
        return kept * 2
    return kept


BOXES = torch.tensor([[0.0, 0, 4, 4], [0, 0, 4, 3.9], [5, 5, 9, 9], [5, 5, 9, 8]])
TURNED = torch.tensor([[0.0, 0, 4, 4], [4, 4, 0, 0], [4, 0, 0, 4], [0, 4, 4, 0]])
SCORES = torch.tensor([0.9, 0.8, 0.7, 0.95])
NAN = float("nan")


def test_boxes_are_left_out_as_by_the_kernel(tmp_path: Path) -> None:
    compiled = dycl.compile(chosen, (BOXES, SCORES), output=str(tmp_path / "boxes_dycl"))
    cases = [(BOXES, SCORES), (BOXES, -SCORES), (BOXES, SCORES * 100), (BOXES * 0, SCORES)]
    cases += [(TURNED, SCORES), (TURNED, -SCORES), (TURNED.flip(0), SCORES)]
    cases += [(BOXES, torch.tensor([0.1, NAN, 0.5, NAN])), (BOXES, torch.ones(4))]
    infinite = float("inf")
    cases += [(BOXES, torch.tensor([-infinite, 1.0, infinite, NAN]))]
    for place in range(4):
        broken = BOXES.clone()
        broken[1, place] = NAN
        cases += [(broken, SCORES), (broken.nan_to_num(nan=infinite), SCORES)]
        cases += [(broken.nan_to_num(nan=-infinite), SCORES)]
    for boxes, scores in cases:
        assert compiled(boxes, scores).tolist() == chosen(boxes, scores).tolist(), (boxes, scores)


def narrowly(boxes: Tensor, scores: Tensor) -> tuple[Tensor, ...]:
    nms = torch.ops.torchvision.nms
    return tuple(nms(boxes, scores, threshold) for threshold in (0.1, 0.3, 0.5, 0.7))


def test_a_box_that_overlaps_as_much_as_the_threshold_in_single_precision(tmp_path: Path) -> None:
    whole = torch.tensor([0.0, 0.0, 10.0, 1.0])
    parts = [torch.tensor([0.0, 0.0, float(width), 1.0]) for width in (1, 3, 5, 7)]
    pairs = [box + 20 * place for place, part in enumerate(parts) for box in (whole, part)]
    boxes, scores = torch.stack(pairs), torch.arange(8.0, 0.0, -1.0)
    compiled = dycl.compile(narrowly, (boxes, scores), output=str(tmp_path / "narrowly_dycl"))
    for found, wanted in zip(compiled(boxes, scores), narrowly(boxes, scores), strict=True):
        assert found.tolist() == wanted.tolist()

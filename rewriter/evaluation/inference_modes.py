"""``torch.inference_mode`` in calls that compute gradients: PyTorch raises for what it has made."""

from collections.abc import Iterable

import libcst as cst
import torch

from rewriter.evaluation.run import Frame


def refuse_inference(frame: Frame, node: cst.CSTNode, managers: Iterable[object]) -> None:
    """Refuse such a mode among managers, where gradients are computed somewhere in the call."""
    if frame.run.plan.differentiates and any(map(_is_inference, managers)):
        frame.refuse("DYCL045", node, "no gradient goes through tensors of inference_mode")


def _is_inference(manager: object) -> bool:
    return isinstance(manager, torch.inference_mode) and bool(manager.mode)

"""What comes of an operation that was tried before, on operands alike.

Only of what computes one new tensor, or gives an operand, a view of one, or one that it wrote into:
a layout or the place of the operand is all that the program learns from the trial.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from rewriter.alike import Describing, Unlike
from rewriter.evaluation.leaf.operation import Fakes, Operation
from rewriter.evaluation.leaf.trying import result_on_fakes
from rewriter.evaluation.observation import Observer
from rewriter.storages import storage_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """All about a new fake tensor."""

    dtype: torch.dtype
    device: torch.device
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def new(self, mode: FakeTensorMode) -> FakeTensor:
        """Return another tensor like it."""
        empty = torch.empty_strided(self.shape, self.strides, dtype=self.dtype, device="meta")
        return FakeTensor(mode, empty, self.device)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """All about a new fake tensor over the memory of an operand."""

    place: int
    """Of the operand among the run-time ones."""
    layout: Layout
    offset: int

    def new(self, mode: FakeTensorMode, fakes: Sequence[FakeTensor]) -> FakeTensor:
        """Return another tensor like it, over the memory of an operand of another call."""
        memory, layout = fakes[self.place].untyped_storage(), self.layout
        view = torch.empty(0, dtype=layout.dtype, device="meta")
        view.set_(memory, self.offset, layout.shape, layout.strides)
        return FakeTensor(mode, view, layout.device)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The operand at a place, among the run-time ones, is the result."""

    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overwritten:
    """The operand at a place, among the run-time ones, was changed in place and is the result."""

    place: int
    by_element: bool


def tried(
    operation: Operation, fakes: Fakes, contents: Mapping[int, torch.Tensor]
) -> tuple[object, Observer]:
    """Return the result of an operation on fake tensors, and what was observed.

    ``contents`` are what operands hold that depend on no input.
    """
    mode, judgements = operation.run.mode, operation.run.judgements
    observer = Observer(contents)
    describing = Describing(operation.run.described_modules)
    key = None if contents else _key(operation, fakes, describing)
    known = judgements.get(key) if key is not None else None
    before = _places(describing)
    match known:
        case Layout():
            return known.new(mode), observer
        case View():
            return known.new(mode, describing.fakes), observer
        case Given(place=place):
            return describing.fakes[place], observer
        case Overwritten(place=place, by_element=by_element):
            observer.by_element = by_element
            observer.written.append(describing.fakes[place])
            return describing.fakes[place], observer
    result = result_on_fakes(operation, fakes, observer)
    same_places = before == _places(describing)  # what transposes in place, changes them
    if key is not None and same_places and not _depends_on_content(observer):
        outcome = _overwritten(result, observer, describing) or _only_result(
            result, observer, describing, mode
        )
        if outcome is not None:
            judgements[key] = outcome
    return result, observer


def _key(operation: Operation, fakes: Fakes, describing: Describing) -> Hashable | None:
    """Return what the result depends on; None where that cannot be told."""
    given = (operation.compute, fakes.arguments, fakes.keywords)
    try:
        return (Layout, torch.get_default_dtype(), describing.described(given))
    except Unlike:
        return None


def _places(describing: Describing) -> list[tuple[object, ...]]:
    """Return where in memory the elements of each run-time operand are."""
    return [(*tensor.stride(), tensor.storage_offset()) for tensor in describing.fakes]


def _depends_on_content(observer: Observer) -> bool:
    """Return whether what was observed may be otherwise for tensors of other content."""
    return observer.read_content or observer.random is not None or observer.may_raise


def _overwritten(result: object, observer: Observer, describing: Describing) -> Overwritten | None:
    """Return which operand was changed in place, where that is all that happened."""
    if observer.reshaped or any(tensor is not result for tensor in observer.written):
        return None
    places = [place for place, fake in enumerate(describing.fakes) if fake is result]
    if not observer.written or not places:
        return None
    return Overwritten(place=places[0], by_element=observer.by_element)


def _only_result(
    result: object, observer: Observer, describing: Describing, mode: FakeTensorMode
) -> Layout | View | Given | None:
    """Return what the result is, where that is all that came of an operation."""
    if observer.written or type(result) is not FakeTensor or not _is_plain(result):
        return None
    places = [place for place, fake in enumerate(describing.fakes) if fake is result]
    if places:
        return Given(place=places[0])
    layout = Layout(
        dtype=result.dtype,
        device=result.device,
        shape=tuple(result.shape),
        strides=result.stride(),
    )
    convert = mode.fake_tensor_converter.from_real_tensor
    key = storage_key(result)
    if key in {storage_key(convert(mode, tensor)) for tensor in describing.tensors}:
        return None
    sharing = [place for place, fake in enumerate(describing.fakes) if storage_key(fake) == key]
    if sharing:
        return View(place=sharing[0], layout=layout, offset=int(result.storage_offset()))
    return layout if _is_all_of_its_memory(result) else None


def _is_plain(tensor: FakeTensor) -> bool:
    """Return whether a layout and a place in memory say all about a tensor."""
    sizes = (*tensor.shape, *tensor.stride(), tensor.storage_offset())
    return (
        tensor.layout is torch.strided
        and all(isinstance(size, int) for size in sizes)
        and tensor.constant is None
        and not (tensor.requires_grad or tensor.is_conj() or tensor.is_neg())
    )


def _is_all_of_its_memory(tensor: FakeTensor) -> bool:
    """Return whether a tensor's elements are all that is in its memory."""
    needed = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    elements = needed if tensor.numel() else 0
    return (
        tensor.storage_offset() == 0
        and tensor.untyped_storage().nbytes() == elements * tensor.element_size()
    )

"""What is active while code is traced: operations are respelled as backends need them."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from torch.overrides import TorchFunctionMode

from hcfg.checked_content import CheckedBags, CheckedContent
from hcfg.traced_broadcasts import TracedBroadcasts
from hcfg.traced_data import TracedData
from hcfg.traced_distances import TracedDistances
from hcfg.traced_layers import TracedLayers
from hcfg.traced_losses import TracedLosses
from hcfg.traced_membership import TracedMembership
from hcfg.traced_numbers import TracedNumbers
from hcfg.traced_views import TracedViews
from hcfg.zeroed_memory import ZeroedMemory

Modes = Sequence[type[TorchFunctionMode]]

WITHOUT_QUESTIONS: Modes = (
    TracedNumbers, TracedLayers, TracedDistances, TracedLosses, TracedMembership, TracedBroadcasts,
)  # fmt: skip
"""They spell operations in ways that ask nothing about sizes."""

COMPILED_CODE: Modes = (
    ZeroedMemory, CheckedContent, CheckedBags, TracedData, *WITHOUT_QUESTIONS, TracedViews,
)  # fmt: skip
"""Active in all code that backends get."""

AS_WRITTEN: Modes = (ZeroedMemory, CheckedBags, TracedData, TracedViews)
"""Active where PyTorch computes what compiled code is compared with."""


@contextmanager
def active(modes: Modes) -> Iterator[None]:
    """Make modes active, the last one innermost."""
    with ExitStack() as stack:
        for mode in modes:
            stack.enter_context(mode())
        yield

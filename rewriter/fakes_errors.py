"""What fake tensors raise where they cannot say what PyTorch itself does."""

from typing import Final

from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
)

OF_CONTENT: Final = (DataDependentOutputException, DynamicOutputShapeException)
"""A value or a size depends on what a tensor holds."""
OF_FAKES: Final = (UnsupportedFakeTensorException, UnsupportedOperatorException)
"""There are no fake tensors for this."""

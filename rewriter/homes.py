"""Where the host has tensors that its containers hold and that the program writes in place."""

from dataclasses import dataclass

from rewriter.storages import same_view
from rewriter.values import HostValue, TensorValue


@dataclass(frozen=True, slots=True)
class Home:
    """The array that containers hold for a tensor, and that the host writes to.

    It belongs to the tensor alone: what the program's variables hold are copies, taken anew
    after every write (``run_time/refilling.py``).
    """

    array: HostValue
    whole: TensorValue
    """The tensor that has all elements of the array."""
    lent: bool = False
    """Whether it is a parameter of the function: its caller's, which is not written here."""

    def is_of(self, tensor: TensorValue) -> bool:
        """Return whether a tensor is the whole one."""
        return same_view(tensor.fake, self.whole.fake)


class Refilled:
    """What a home's array is a sample of: nothing is known of it but that the host has it."""

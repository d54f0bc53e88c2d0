"""Exported programs over complex numbers, written in real arithmetic: backends have no other.

In: an ``ExportedProgram`` whose inputs and outputs are real. Out: one of the same function in
which a complex tensor is a tensor of pairs, as ``torch.view_as_real`` gives it.

Start reading at ``rewriting.py``; ``operators.py`` has the table, ``pairs.py`` the numbers,
``arithmetic.py``, ``shapes.py`` and ``making.py`` what each operator is in real arithmetic.
"""

from dycl.capture.real_arithmetic.rewriting import in_real_arithmetic

__all__ = ["in_real_arithmetic"]

"""From a raw rewritten program to readable Python.

Comes in: the ``RewrittenProgram`` of the evaluator, whose variables have unique names
(``x__12``). Goes out: the text of ``rewritten.py``, and a callable that runs it.

Start reading at ``program_text.print_program``. What happens on the way:

1. ``cleaning``   dead statements, empty and unreachable blocks go;
2. ``nesting``    temporaries move into the statement that reads them (for text only);
3. ``naming``     variables get the user's names back;
4. ``structure``  the control-flow graph becomes nested ``if`` and ``while``;
5. ``python_text``  the nested program becomes lines.
"""

from rewriter.printing.program_text import print_program, runnable

__all__ = ["print_program", "runnable"]

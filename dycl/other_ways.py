"""How else a program is rewritten that a backend refuses."""

from dataclasses import replace

from dycl.options import CompileOptions
from rewriter.options import with_known_numbers
from rewriter.program import RewrittenProgram


def other_ways(options: CompileOptions, program: RewrittenProgram) -> tuple[CompileOptions, ...]:
    """Return the options that are worth another try, in their order."""
    ways: list[CompileOptions] = []
    if options.roll_early and program.rolls_early:
        options = replace(options, roll_early=False)
        ways.append(options)
    if options.few_structures is None and program.few_structures:
        options = replace(options, few_structures=False)
        ways.append(options)
    if not options.known_texts and program.joins_texts:
        options = replace(options, known_texts=True)
        ways.append(options)
    if not options.known_numbers and program.joins_numbers:
        ways.append(with_known_numbers(options))
    return tuple(ways)

"""The text of what runs the program for many inputs together."""

from collections.abc import Sequence, Set

from codegen_host.function_text import definition_lines, readable
from codegen_host.host_function import IN_BATCHES, host_function, host_functions
from codegen_host.marks import unmarked_lines
from codegen_host.references import HostReferences
from codegen_host.steps_text import STEPS, reached_in_steps, steps_of
from hcfg.graph import Hcfg

MANY = "forward_many"
"""What runs the program for many inputs together."""


def many_inputs_lines(
    graph: Hcfg, references: HostReferences, subdnns: Sequence[str], taken: Set[str]
) -> list[str]:
    """Return the lines of what runs many inputs together."""
    entry, others = host_function(graph, graph.put_off), host_functions(graph, graph.put_off)
    definitions = {
        function.name: unmarked_lines(
            definition_lines(
                readable(function, references, subdnns, taken, is_entry=function is entry),
                references,
            )
        )
        for function in (*others, entry)
    }
    reached = reached_in_steps(definitions, entry.name, {*graph.batches, IN_BATCHES})
    batches = [name for name in subdnns if name in graph.batches and name in reached.calls]
    lines = [
        line
        for name, definition in definitions.items()
        if name in reached.functions
        for line in (*steps_of(definition, reached), "", "")
    ]
    given = ["_package", entry.name, STEPS.format(entry.name)]
    given += [IN_BATCHES] if IN_BATCHES in reached.calls else []
    return [
        *lines,
        f"{MANY} = ManyInputs(  # its sub-DNNs, each with the one for batches",
        f"    {', '.join(given)}, batches={{",
        *(f"        {name}: {graph.batches[name]}," for name in batches),
        "    }",
        ")",
    ]

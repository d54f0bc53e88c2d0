"""Imports every module that registers evaluation rules."""

from rewriter.evaluation import (
    names,
)
from rewriter.evaluation.builtin_functions import (
    builtin_containers,
    builtin_conversions,
    builtin_higher_order,
    builtin_iterators,
    builtin_mappings,
    builtin_quantifiers,
    builtin_reductions,
    builtin_reflection,
    deleting,
    hashing,
    heaps,
    json_texts,
    kinds_of_objects,
    object_functions,
    signatures,
)
from rewriter.evaluation.calls import (
    call_expressions,
    callables,
    closures,
    distributions,
    grouping,
    packed_sequences,
    passing_through,
    preluding,
    python_random,
    tensor_trees,
    torch_control_flow,
    unlike_fakes,
)
from rewriter.evaluation.containers import (
    comprehensions,
    displays,
    slice_objects,
    subscripts,
)
from rewriter.evaluation.control import (
    context_managers,
    definitions,
    exceptions,
    if_statement,
    local_classes,
    local_imports,
    loops,
    match_statement,
    simple_statements,
    while_loops,
)
from rewriter.evaluation.generators import (
    generator_expressions,
    generator_methods,
)
from rewriter.evaluation.host import (
    array_splitting,
)
from rewriter.evaluation.instances import (
    attributes,
)
from rewriter.evaluation.operators import (
    boolean_operators,
    comparison_chains,
    operators,
)
from rewriter.evaluation.tensors import (
    counted_tensors,
    grouped_products,
    legacy_tensors,
    nested_lists,
    size_tuples,
    spectra,
)
from rewriter.evaluation.text import (
    strings,
)

__all__ = [
    "array_splitting",
    "attributes",
    "boolean_operators",
    "builtin_containers",
    "builtin_conversions",
    "builtin_higher_order",
    "builtin_iterators",
    "builtin_mappings",
    "builtin_quantifiers",
    "builtin_reductions",
    "builtin_reflection",
    "call_expressions",
    "callables",
    "closures",
    "comparison_chains",
    "comprehensions",
    "context_managers",
    "counted_tensors",
    "definitions",
    "deleting",
    "displays",
    "distributions",
    "exceptions",
    "generator_expressions",
    "generator_methods",
    "grouped_products",
    "grouping",
    "hashing",
    "heaps",
    "if_statement",
    "json_texts",
    "kinds_of_objects",
    "legacy_tensors",
    "local_classes",
    "local_imports",
    "loops",
    "match_statement",
    "names",
    "nested_lists",
    "object_functions",
    "operators",
    "packed_sequences",
    "passing_through",
    "preluding",
    "python_random",
    "signatures",
    "simple_statements",
    "size_tuples",
    "slice_objects",
    "spectra",
    "strings",
    "subscripts",
    "tensor_trees",
    "torch_control_flow",
    "unlike_fakes",
    "while_loops",
]

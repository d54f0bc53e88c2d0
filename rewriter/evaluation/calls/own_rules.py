"""Which objects of libraries have a rule of their own for how they are called."""

from rewriter.evaluation.calls.caches_made import cache_rule
from rewriter.evaluation.calls.configurations import configuration_rule
from rewriter.evaluation.calls.context_variables import context_rule
from rewriter.evaluation.calls.generic_aliases import alias_rule
from rewriter.evaluation.calls.grad_mode_decorators import decorating_rule
from rewriter.evaluation.calls.gradient_calls import derived_rule
from rewriter.evaluation.calls.preluding import getter_rule
from rewriter.evaluation.calls.progress_bars import progress_rule
from rewriter.evaluation.calls.special_calls import SpecialRule, special_rule
from rewriter.evaluation.calls.vectorizing import mapped_rule
from rewriter.evaluation.control.generated_managers import manager_rule
from rewriter.evaluation.instances.named_tuples import making_rule


def own_rule(content: object) -> SpecialRule | None:
    """Return the rule of an object that exists at compile time; None for most."""
    return (
        special_rule(content)
        or manager_rule(content)
        or alias_rule(content)
        or getter_rule(content)
        or decorating_rule(content)
        or making_rule(content)
        or progress_rule(content)
        or mapped_rule(content)
        or derived_rule(content)
        or context_rule(content)
        or cache_rule(content)
        or configuration_rule(content)
    )

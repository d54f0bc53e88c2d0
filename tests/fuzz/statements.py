"""Which statements a program may be made of, and how often."""

from tests.fuzz import assigning, branching, defining, leaving, looping, storing
from tests.fuzz.author import Rule

RULES: tuple[tuple[float, Rule], ...] = (
    (8, assigning.tensor_assignment),
    (5, assigning.scalar_assignment),
    (2, assigning.augmented_scalar),
    (4, assigning.in_place),
    (1.5, assigning.item_store),
    (1, assigning.write_through_view),
    (1.5, assigning.alias),
    (0.7, assigning.swap),
    (0.3, assigning.delete),
    (0.4, assigning.walrus),
    (1.2, assigning.attribute),
    (8, branching.if_statement),
    (1.5, branching.ternary),
    (1.5, branching.optional_value),
    (0.4, branching.unbound_use),
    (2.5, storing.new_list),
    (4, storing.list_change),
    (1.5, storing.new_dict),
    (2, storing.dict_change),
    (1.5, storing.tuple_made),
    (1.2, storing.comprehension),
    (0.5, storing.container_copy),
    (5, looping.for_statement),
    (3, looping.while_statement),
    (1.5, leaving.early_return),
    (3, leaving.loop_jump),
    (1, leaving.raised),
    (1.5, leaving.try_statement),
    (0.4, leaving.assertion),
    (0.4, leaving.printed),
    (1, defining.nested_function),
    (0.8, defining.nested_lambda),
)

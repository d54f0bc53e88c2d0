"""Networks that send parts of the input different ways."""

from zoo import experts, switch_transformer
from zoo.entry import Entry, Family

SWITCH = "Fedus et al.: Switch Transformers, JMLR 2022; "

ENTRIES = (
    Entry(
        name="Mixture of experts",
        module=experts,
        build=experts.build_model,
        family=Family.ROUTING,
        source="Shazeer et al.: The Sparsely-Gated Mixture-of-Experts Layer, ICLR 2017; "
        "huggingface/transformers (Mixtral)",
        trained=False,
    ),
    Entry(
        name="Switch Transformer, loop over experts with tokens",
        module=switch_transformer,
        build=switch_transformer.build_model,
        family=Family.ROUTING,
        source=SWITCH + "huggingface/transformers",
        trained=True,
    ),
    Entry(
        name="Switch Transformer, lists of indexes",
        module=switch_transformer,
        build=switch_transformer.build_labml,
        family=Family.ROUTING,
        source=SWITCH + "labmlai/annotated_deep_learning_paper_implementations",
        trained=True,
    ),
)

"""Networks that send parts of the input different ways."""

from zoo import channel_gating, experts, feature_boosting, switch_transformer
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
        heavy=True,
    ),
    Entry(
        name="Switch Transformer, lists of indexes",
        module=switch_transformer,
        build=switch_transformer.build_labml,
        family=Family.ROUTING,
        source=SWITCH + "labmlai/annotated_deep_learning_paper_implementations",
        trained=True,
        heavy=True,
    ),
    Entry(
        name="Feature boosting, pruned",
        module=feature_boosting,
        build=feature_boosting.build_model,
        family=Family.ROUTING,
        source="Gao et al.: Feature Boosting and Suppression, ICLR 2019; deep-fry/mayo",
        trained=True,
        pictures=True,
        method="pruned",
    ),
    Entry(
        name="Channel gating",
        module=channel_gating,
        build=channel_gating.build_model,
        family=Family.ROUTING,
        source="Hua et al.: Channel Gating Neural Networks, NeurIPS 2019; cornell-zhang/dnn-gating",
        trained=True,
        pictures=True,
    ),
)

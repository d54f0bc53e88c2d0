"""Networks that send parts of the input different ways."""

from zoo import experts
from zoo.entry import Entry, Family

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
)

"""Networks that leave out layers."""

from zoo import blockdrop, calm, convnet_aig, skipnet, skipnet_rnn
from zoo.entry import Entry, Family

SKIPNET = "Wang et al.: SkipNet, ECCV 2018; ucbdrive/skipnet"

ENTRIES = (
    Entry(
        name="SkipNet-38",
        module=skipnet,
        build=skipnet.build_model,
        family=Family.SKIPPING,
        source=SKIPNET,
        trained=True,
        pictures=True,
    ),
    Entry(
        name="SkipNet-74",
        module=skipnet,
        build=skipnet.build_skipnet74,
        family=Family.SKIPPING,
        source=SKIPNET,
        trained=False,
        pictures=True,
    ),
    Entry(
        name="SkipNet-110",
        module=skipnet,
        build=skipnet.build_skipnet110,
        family=Family.SKIPPING,
        source=SKIPNET,
        trained=False,
        pictures=True,
    ),
    Entry(
        name="SkipNet-38, recurrent gates",
        module=skipnet_rnn,
        build=skipnet_rnn.build_model,
        family=Family.SKIPPING,
        source=SKIPNET,
        trained=True,
        pictures=True,
    ),
    Entry(
        name="BlockDrop ResNet-32",
        module=blockdrop,
        build=blockdrop.build_model,
        family=Family.SKIPPING,
        source="Wu et al.: BlockDrop, CVPR 2018; Tushar-N/blockdrop",
        trained=True,
        pictures=True,
    ),
    Entry(
        name="ConvNet-AIG-38",
        module=convnet_aig,
        build=convnet_aig.build_model,
        family=Family.SKIPPING,
        source="Veit, Belongie: Adaptive Inference Graphs, ECCV 2018; andreasveit/convnet-aig",
        trained=True,
        pictures=True,
    ),
    Entry(
        name="Confident decoder (CALM)",
        module=calm,
        build=calm.build_model,
        family=Family.SKIPPING,
        source="Schuster et al.: Confident Adaptive Language Modeling, NeurIPS 2022; "
        "raymin0223/fast_robust_early_exit",
        trained=True,
        heavy=True,
    ),
)

GROWTH = (
    *(entry for entry in ENTRIES if entry.module is skipnet),
    Entry(
        name="SkipNet-152",
        module=skipnet,
        build=skipnet.build_skipnet152,
        family=Family.SKIPPING,
        source=SKIPNET,
        trained=False,
        pictures=True,
        heavy=True,
    ),
)
"""One network in four depths, to see how compilation grows."""

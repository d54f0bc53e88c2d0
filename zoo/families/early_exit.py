"""Networks that stop as soon as they are sure."""

from zoo import (
    adaptive_computation,
    branchynet,
    deebert,
    msdnet,
    patience,
    shallow_deep,
)
from zoo.entry import Entry, Family

BRANCHYNET = "Teerapittayanon et al.: BranchyNet, ICPR 2016; kunglab/branchynet"
SHALLOW_DEEP = "Kaya et al.: Shallow-Deep Networks, ICML 2019; yigitcankaya/Shallow-Deep-Networks"

ENTRIES = (
    Entry(
        name="Shallow-deep ResNet-56",
        module=shallow_deep,
        build=shallow_deep.build_resnet,
        family=Family.EARLY_EXIT,
        source=SHALLOW_DEEP,
        trained=True,
        pictures=True,
        method="early_exit",
    ),
    Entry(
        name="Shallow-deep MobileNet",
        module=shallow_deep,
        build=shallow_deep.build_mobilenet,
        family=Family.EARLY_EXIT,
        source=SHALLOW_DEEP,
        trained=False,
        pictures=True,
        method="early_exit",
    ),
    Entry(
        name="Shallow-deep VGG-19",
        module=shallow_deep,
        build=shallow_deep.build_vgg,
        family=Family.EARLY_EXIT,
        source=SHALLOW_DEEP,
        trained=False,
        heavy=True,
        pictures=True,
        method="early_exit",
    ),
    Entry(
        name="Shallow-deep WideResNet-32-4",
        module=shallow_deep,
        build=shallow_deep.build_wideresnet,
        family=Family.EARLY_EXIT,
        source=SHALLOW_DEEP,
        trained=False,
        pictures=True,
        method="early_exit",
    ),
    Entry(
        name="B-AlexNet",
        module=branchynet,
        build=branchynet.build_model,
        family=Family.EARLY_EXIT,
        source=BRANCHYNET,
        trained=True,
        pictures=True,
        method="early_exit",
    ),
    Entry(
        name="B-LeNet",
        module=branchynet,
        build=branchynet.build_lenet,
        family=Family.EARLY_EXIT,
        source=BRANCHYNET,
        trained=True,
        pictures=True,
        method="early_exit",
    ),
    Entry(
        name="MSDNet, budgeted",
        module=msdnet,
        build=msdnet.build_model,
        family=Family.EARLY_EXIT,
        source="Huang et al.: Multi-Scale Dense Networks, ICLR 2018; kalviny/MSDNet-PyTorch",
        trained=True,
        pictures=True,
        method="budgeted",
    ),
    Entry(
        name="BERT with patience (PABEE)",
        module=patience,
        build=patience.build_model,
        family=Family.EARLY_EXIT,
        source="Zhou et al.: BERT Loses Patience (PABEE), NeurIPS 2020; JetRunner/PABEE",
        trained=True,
    ),
    Entry(
        name="BERT, exit by exception (DeeBERT)",
        module=deebert,
        build=deebert.build_model,
        family=Family.EARLY_EXIT,
        source="Xin et al.: DeeBERT, ACL 2020; castorini/DeeBERT",
        trained=True,
    ),
    Entry(
        name="Adaptive computation",
        module=adaptive_computation,
        build=adaptive_computation.build_model,
        family=Family.EARLY_EXIT,
        source="Dehghani et al.: Universal Transformers, ICLR 2019; "
        "andreamad8/Universal-Transformer-Pytorch",
        trained=True,
    ),
)

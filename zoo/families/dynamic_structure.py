"""Networks that are built anew for each tree, graph or program they are given."""

from zoo import tree_lstm
from zoo.entry import Entry, Family

TREE_LSTM = "Tai et al.: Tree-Structured LSTM Networks, ACL 2015; dasguptar/treelstm.pytorch"

ENTRIES = (
    Entry(
        name="Tree-LSTM, child-sum",
        module=tree_lstm,
        build=tree_lstm.build_model,
        family=Family.DYNAMIC_STRUCTURE,
        source=TREE_LSTM,
        trained=False,
    ),
    Entry(
        name="Tree-LSTM, binary",
        module=tree_lstm,
        build=tree_lstm.build_binary,
        family=Family.DYNAMIC_STRUCTURE,
        source=TREE_LSTM,
        trained=False,
        examples="binary_example",
        samples="binary_samples",
    ),
)

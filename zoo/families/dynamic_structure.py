"""Networks that are built anew for each tree, graph or program they are given."""

from zoo import tree_fc, tree_lstm, tree_lstm_binary, tree_lstm_nary
from zoo.entry import Entry, Family

TREE_LSTM = "Tai et al.: Tree-Structured LSTM Networks, ACL 2015; dasguptar/treelstm.pytorch"
TREE_FC = "Looks et al.: Deep Learning with Dynamic Computation Graphs, ICLR 2017; tensorflow/fold"

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
        name="Tree-LSTM 300/150, child-sum",
        module=tree_lstm,
        build=tree_lstm.build_large,
        family=Family.DYNAMIC_STRUCTURE,
        source=TREE_LSTM,
        trained=False,
        heavy=True,
    ),
    Entry(
        name="Tree-LSTM, binary",
        module=tree_lstm_binary,
        build=tree_lstm_binary.build_model,
        family=Family.DYNAMIC_STRUCTURE,
        source=TREE_LSTM,
        trained=False,
    ),
    Entry(
        name="Tree-LSTM 300/150, binary",
        module=tree_lstm_binary,
        build=tree_lstm_binary.build_large,
        family=Family.DYNAMIC_STRUCTURE,
        source=TREE_LSTM,
        trained=False,
        heavy=True,
    ),
    Entry(
        name="Tree-LSTM, N-ary",
        module=tree_lstm_nary,
        build=tree_lstm_nary.build_model,
        family=Family.DYNAMIC_STRUCTURE,
        source=TREE_LSTM,
        trained=False,
    ),
    Entry(
        name="Tree-LSTM 300/150, N-ary",
        module=tree_lstm_nary,
        build=tree_lstm_nary.build_large,
        family=Family.DYNAMIC_STRUCTURE,
        source=TREE_LSTM,
        trained=False,
        heavy=True,
    ),
    Entry(
        name="Tree-FC",
        module=tree_fc,
        build=tree_fc.build_model,
        family=Family.DYNAMIC_STRUCTURE,
        source=TREE_FC,
        trained=False,
    ),
    Entry(
        name="Tree-FC 1024",
        module=tree_fc,
        build=tree_fc.build_large,
        family=Family.DYNAMIC_STRUCTURE,
        source=TREE_FC,
        trained=False,
        heavy=True,
    ),
)

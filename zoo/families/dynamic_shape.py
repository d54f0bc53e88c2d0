"""Networks whose tensors have sizes that the input decides."""

from zoo import bert, lstm
from zoo.entry import Entry, Family

LSTM = "Hochreiter, Schmidhuber: Long Short-Term Memory, 1997; pytorch/examples"
BERT = "Devlin et al.: BERT, NAACL 2019; huggingface/transformers"

ENTRIES = (
    Entry(
        name="LSTM, 1 layer",
        module=lstm,
        build=lstm.build_model,
        family=Family.DYNAMIC_SHAPE,
        source=LSTM,
        trained=False,
    ),
    Entry(
        name="LSTM, 2 layers",
        module=lstm,
        build=lstm.build_two_layers,
        family=Family.DYNAMIC_SHAPE,
        source=LSTM,
        trained=False,
        heavy=True,
    ),
    Entry(
        name="LSTM, one module",
        module=lstm,
        build=lstm.build_fused,
        family=Family.DYNAMIC_SHAPE,
        source=LSTM,
        trained=False,
    ),
    Entry(
        name="BERT, small",
        module=bert,
        build=bert.build_model,
        family=Family.DYNAMIC_SHAPE,
        source=BERT,
        trained=False,
    ),
    Entry(
        name="BERT-base",
        module=bert,
        build=bert.build_base,
        family=Family.DYNAMIC_SHAPE,
        source=BERT,
        trained=False,
        heavy=True,
    ),
)

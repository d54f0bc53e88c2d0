"""PABEE: a BERT classifier that leaves when several layers in a row predict the same.

Zhou, Xu, Ge, McAuley, Xu, Wei: "BERT Loses Patience: Fast and Robust Inference with Early Exit",
NeurIPS 2020; upstream repository: JetRunner/PABEE (an own implementation, not a copy).

Each layer has a classifier. `forward` counts how many layers in a row predicted what the layer
before them did, and leaves when it is `patience` of them. As upstream, the model adds up how many
layers it ran (`inference_layers_num`): state that is kept from call to call. Six small layers,
trained by `zoo/training/train_early_bert.py` on the generated reviews of `zoo/phrases.py`: 95 %
accuracy on held-out ones, most of which leave at the third layer.
"""

import torch
from torch import Tensor, nn

from zoo.bert_layers import (
    BertConfig,
    BertEmbeddings,
    BertLayer,
    BertPooler,
    extended_attention_mask,
    init_weights,
)
from zoo.phrases import labelled_reviews, sample_phrases
from zoo.storage import load_weights


class BertEncoder(nn.Module):
    """Layers that are run one by one from outside."""

    def __init__(self, config):
        super().__init__()
        self.layer = nn.ModuleList([BertLayer(config) for _ in range(config.num_hidden_layers)])

    def adaptive_forward(self, hidden_states, current_layer, attention_mask=None):
        return self.layer[current_layer](hidden_states, attention_mask)


class BertModelWithPabee(nn.Module):
    """BERT that is asked after each layer."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embeddings = BertEmbeddings(config)
        self.encoder = BertEncoder(config)
        self.pooler = BertPooler(config)
        self.patience = 0
        self.inference_instances_num = 0
        self.inference_layers_num = 0

    def set_patience(self, patience):
        self.patience = patience

    def reset_stats(self):
        self.inference_instances_num = 0
        self.inference_layers_num = 0

    def forward(self, input_ids, attention_mask=None, output_layers=None):
        if attention_mask is None:
            attention_mask = torch.ones(input_ids.shape)
        embedding_output = self.embeddings(input_ids)
        extended = extended_attention_mask(attention_mask, embedding_output.dtype)
        encoder_outputs = embedding_output

        if self.training:
            res = []
            for i in range(self.config.num_hidden_layers):
                encoder_outputs = self.encoder.adaptive_forward(encoder_outputs, i, extended)
                pooled_output = self.pooler(encoder_outputs)
                res.append(output_layers[i](pooled_output))
            return res, self.config.num_hidden_layers

        patient_counter = 0
        patient_result = None
        calculated_layer_num = 0
        for i in range(self.config.num_hidden_layers):
            calculated_layer_num += 1
            encoder_outputs = self.encoder.adaptive_forward(encoder_outputs, i, extended)
            pooled_output = self.pooler(encoder_outputs)
            logits = output_layers[i](pooled_output)
            labels = logits.detach().argmax(dim=1)
            if patient_result is not None:
                patient_labels = patient_result.detach().argmax(dim=1)
            if (patient_result is not None) and torch.all(labels.eq(patient_labels)):
                patient_counter += 1
            else:
                patient_counter = 0
            patient_result = logits
            if patient_counter == self.patience:
                break
        self.inference_layers_num += calculated_layer_num
        self.inference_instances_num += 1
        return [patient_result], calculated_layer_num


class BertForSequenceClassificationWithPabee(nn.Module):
    """The classifiers, and BERT below them."""

    def __init__(self, config, patience=2):
        super().__init__()
        self.bert = BertModelWithPabee(config)
        self.classifiers = nn.ModuleList(
            [
                nn.Linear(config.hidden_size, config.num_labels)
                for _ in range(config.num_hidden_layers)
            ]
        )
        self.bert.set_patience(patience)
        self.apply(init_weights)

    def forward(self, input_ids, attention_mask=None):
        """Return the logits (of all layers in training), and how many layers ran."""
        outputs, layers = self.bert(input_ids, attention_mask, output_layers=self.classifiers)
        return outputs if self.training else outputs[-1], layers


def build_seeded() -> BertForSequenceClassificationWithPabee:
    """Build the classifier untrained; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2020)
        return BertForSequenceClassificationWithPabee(BertConfig()).eval()


def build_model() -> BertForSequenceClassificationWithPabee:
    """The classifier of reviews, trained."""
    model = build_seeded()
    load_weights(model, "pabee")
    return model


def example_inputs() -> tuple[Tensor, ...]:
    """One review, and which of its tokens are not padding."""
    return sample_phrases(1, 0)[0]


def sample_inputs(count: int, seed: int = 0) -> list[tuple[Tensor, ...]]:
    """Reviews from plain to intricate."""
    return sample_phrases(count, seed)


def labelled_inputs(count: int, seed: int) -> list[tuple[tuple[Tensor, ...], int]]:
    """Return reviews, each with what it says."""
    return labelled_reviews(count, seed)


def decide(outputs):
    """The class, the last layer that ran, and whether there were more."""
    logits, layers = outputs
    return int(logits.argmax()), (layers - 1, layers < BertConfig.num_hidden_layers)

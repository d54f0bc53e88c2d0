"""DeeBERT: a BERT classifier whose encoder raises an exception as soon as a layer is sure.

Xin, Tang, Lee, Yu, Lin: "DeeBERT: Dynamic Early Exiting for Accelerating BERT Inference", ACL
2020; upstream repository: castorini/DeeBERT (an own implementation, not a copy).

Each layer but the last has a highway: a pooler and a classifier of its own. If the entropy of what
a highway says is below its threshold, the encoder raises `HighwayError` with all there is so far,
and the classifier around the model catches it. Six small layers, trained in the paper's two steps
by `zoo/training/train_early_bert.py` on the generated reviews of `zoo/phrases.py`: 99 % accuracy on
held-out ones, which leave at all layers.
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

EARLY_EXIT_ENTROPY = 0.1


def entropy(x):
    """Return the entropy of what the logits mean, in nats."""
    exp_x = torch.exp(x)
    A = torch.sum(exp_x, dim=1)
    B = torch.sum(x * exp_x, dim=1)
    return torch.log(A) - B / A


class HighwayError(Exception):
    """Leaves the model from inside the encoder, with its outputs so far."""

    def __init__(self, message, exit_layer):
        self.message = message
        self.exit_layer = exit_layer  # begins at 1


class BertHighway(nn.Module):
    """A classifier beside a layer."""

    def __init__(self, config):
        super().__init__()
        self.pooler = BertPooler(config)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)

    def forward(self, encoder_outputs):
        pooled_output = self.pooler(encoder_outputs[0])
        return self.classifier(pooled_output), pooled_output


class DeeBertEncoder(nn.Module):
    """Layers and highways."""

    def __init__(self, config):
        super().__init__()
        self.layer = nn.ModuleList([BertLayer(config) for _ in range(config.num_hidden_layers)])
        self.highway = nn.ModuleList(
            [BertHighway(config) for _ in range(config.num_hidden_layers - 1)]
        )
        self.early_exit_entropy = [-1 for _ in range(config.num_hidden_layers)]

    def set_early_exit_entropy(self, x):
        if isinstance(x, (float, int)):
            for i in range(len(self.early_exit_entropy)):
                self.early_exit_entropy[i] = x
        else:
            self.early_exit_entropy = x

    def forward(self, hidden_states, attention_mask=None):
        all_highway_exits = ()
        for i, layer_module in enumerate(self.layer):
            hidden_states = layer_module(hidden_states, attention_mask)
            if i == len(self.layer) - 1:
                break
            current_outputs = (hidden_states,)
            highway_exit = self.highway[i](current_outputs)  # logits, pooled output
            if not self.training:
                highway_logits = highway_exit[0]
                highway_entropy = entropy(highway_logits)
                highway_exit = (*highway_exit, highway_entropy)
                all_highway_exits = (*all_highway_exits, highway_exit)
                if highway_entropy < self.early_exit_entropy[i]:
                    new_output = (highway_logits, *current_outputs[1:], all_highway_exits)
                    raise HighwayError(new_output, i + 1)
            else:
                all_highway_exits = (*all_highway_exits, highway_exit)
        return hidden_states, all_highway_exits


class DeeBertModel(nn.Module):
    """Embeddings, encoder, and the last layer's pooler."""

    def __init__(self, config):
        super().__init__()
        self.embeddings = BertEmbeddings(config)
        self.encoder = DeeBertEncoder(config)
        self.pooler = BertPooler(config)

    def forward(self, input_ids, attention_mask=None):
        if attention_mask is None:
            attention_mask = torch.ones(input_ids.shape)
        embedding_output = self.embeddings(input_ids)
        extended = extended_attention_mask(attention_mask, embedding_output.dtype)
        encoder_outputs = self.encoder(embedding_output, extended)
        sequence_output = encoder_outputs[0]
        pooled_output = self.pooler(sequence_output)
        return (sequence_output, pooled_output, *encoder_outputs[1:])


class DeeBertForSequenceClassification(nn.Module):
    """The last classifier, and where the exception is caught."""

    def __init__(self, config):
        super().__init__()
        self.num_layers = config.num_hidden_layers
        self.bert = DeeBertModel(config)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.apply(init_weights)

    def forward(self, input_ids, attention_mask=None):
        """Return the logits, the entropies of all exits passed, and the layer of the exit."""
        exit_layer = self.num_layers
        try:
            outputs = self.bert(input_ids, attention_mask)
            pooled_output = outputs[1]
            logits = self.classifier(pooled_output)
            outputs = (logits, *outputs[2:])
        except HighwayError as e:
            outputs = e.message
            exit_layer = e.exit_layer
            logits = outputs[0]
        if self.training:
            return logits, [highway_exit[0] for highway_exit in outputs[-1]], exit_layer
        highway_entropy = [highway_exit[2] for highway_exit in outputs[-1]]
        return logits, (entropy(logits), highway_entropy), exit_layer


def build_seeded() -> DeeBertForSequenceClassification:
    """Build the classifier untrained; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2021)
        return DeeBertForSequenceClassification(BertConfig()).eval()


def build_model() -> DeeBertForSequenceClassification:
    """The classifier of reviews, trained."""
    model = build_seeded()
    load_weights(model, "deebert")
    model.bert.encoder.set_early_exit_entropy(EARLY_EXIT_ENTROPY)
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
    logits, _, exit_layer = outputs
    return int(logits.argmax()), (exit_layer - 1, exit_layer < BertConfig.num_hidden_layers)

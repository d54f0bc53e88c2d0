"""Switch Transformer: each token goes to one expert, as long as that expert has room for it.

Fedus, Zoph, Shazeer: "Switch Transformers: Scaling to Trillion Parameter Models with Simple and
Efficient Sparsity", JMLR 2022; layers as in huggingface/transformers (`SparseSwitch`, with the
masks and the loop over the experts that have tokens) and labmlai/annotated_deep_learning_paper_
implementations (`LabMLSwitch`, with lists of indexes, from which those beyond the capacity are
dropped); own implementations, not copies.

How many tokens an expert gets is data; those that find their expert full pass it by. Both
transformers classify the generated reviews of `zoo/phrases.py`, trained by
`zoo/training/train_switch.py`: 95 % accuracy on held-out ones.
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

EXPERTS = 4
CAPACITY_FACTOR = 1.25


class FeedForward(nn.Module):
    """An expert."""

    def __init__(self, config):
        super().__init__()
        self.wi = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.wo = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, hidden_states):
        return self.wo(torch.relu(self.wi(hidden_states)))


class Top1Router(nn.Module):
    """Chooses one expert for each token, and closes experts that are full."""

    def __init__(self, config):
        super().__init__()
        self.num_experts = EXPERTS
        self.expert_capacity = int(CAPACITY_FACTOR * config.max_position_embeddings / EXPERTS)
        self.classifier = nn.Linear(config.hidden_size, self.num_experts, bias=False)

    def forward(self, hidden_states):
        router_logits = self.classifier(hidden_states)
        router_probs = nn.functional.softmax(router_logits, dim=-1)
        expert_index = torch.argmax(router_probs, dim=-1)
        expert_index = nn.functional.one_hot(expert_index, num_classes=self.num_experts)
        # the n-th token that wants an expert
        token_priority = torch.cumsum(expert_index, dim=-2)
        expert_capacity_mask = token_priority <= self.expert_capacity
        expert_index = expert_index * expert_capacity_mask
        router_probs = torch.max(router_probs, dim=-1).values.unsqueeze(-1)
        return expert_index, router_probs, router_logits


class SparseSwitch(nn.Module):
    """Runs each expert that has tokens on its tokens."""

    def __init__(self, config):
        super().__init__()
        self.router = Top1Router(config)
        self.experts = nn.ModuleDict()
        for idx in range(EXPERTS):
            self.experts[f"expert_{idx}"] = FeedForward(config)

    def forward(self, hidden_states):
        router_mask, router_probs, router_logits = self.router(hidden_states)
        expert_index = torch.argmax(router_mask, dim=-1)

        # a token whose expert is full stays as it is
        next_states = hidden_states.clone()
        router_mask = router_mask.bool()
        batch_size, seq_len, num_experts = router_mask.shape
        idx_mask = router_mask.reshape(batch_size * seq_len, num_experts).sum(dim=0)
        idx_mask = torch.nonzero(idx_mask, as_tuple=True)[0].tolist()  # experts with tokens
        for idx in idx_mask:
            next_states[router_mask[:, :, idx]] = self.experts[f"expert_{idx}"](
                hidden_states[router_mask[:, :, idx]]
            )
        counts = router_mask.sum(dim=(0, 1))
        return router_probs * next_states, (router_logits, expert_index, counts)


class LabMLSwitch(nn.Module):
    """Runs every expert on what is left of its list of tokens."""

    def __init__(self, config):
        super().__init__()
        self.capacity_factor = CAPACITY_FACTOR
        self.n_experts = EXPERTS
        self.switch = nn.Linear(config.hidden_size, self.n_experts)
        self.experts = nn.ModuleList([FeedForward(config) for _ in range(self.n_experts)])

    def forward(self, x):
        batch_size, seq_len, d_model = x.shape
        x = x.reshape(-1, d_model)
        route_prob = torch.softmax(self.switch(x), dim=-1)
        route_prob_max, routes = torch.max(route_prob, dim=-1)
        indexes_list = [
            torch.eq(routes, i).nonzero(as_tuple=True)[0] for i in range(self.n_experts)
        ]
        final_output = x.new_zeros(x.shape)
        capacity = int(self.capacity_factor * len(x) / self.n_experts)
        counts = x.new_tensor([len(indexes_list[i]) for i in range(self.n_experts)])

        dropped = []
        for i in range(self.n_experts):
            if len(indexes_list[i]) <= capacity:
                continue
            dropped.append(indexes_list[i][capacity:])
            indexes_list[i] = indexes_list[i][:capacity]

        expert_output = [self.experts[i](x[indexes_list[i], :]) for i in range(self.n_experts)]
        for i in range(self.n_experts):
            final_output[indexes_list[i], :] = expert_output[i]
        if dropped:
            dropped = torch.cat(dropped)
            final_output[dropped, :] = x[dropped, :]

        final_output = final_output * route_prob_max.view(-1, 1)
        final_output = final_output.view(batch_size, seq_len, d_model)
        return final_output, (torch.log(route_prob), routes, counts)


class SwitchLayer(nn.Module):
    """A layer of BERT, and a layer of experts after it."""

    def __init__(self, config, mlp):
        super().__init__()
        self.dense = BertLayer(config)
        self.layer_norm = nn.LayerNorm(config.hidden_size)
        self.mlp = mlp(config)

    def forward(self, hidden_states, attention_mask):
        hidden_states = self.dense(hidden_states, attention_mask)
        forwarded_states, router_tuple = self.mlp(self.layer_norm(hidden_states))
        return hidden_states + forwarded_states, router_tuple


class SwitchClassifier(nn.Module):
    """Classifies reviews."""

    def __init__(self, mlp, config):
        super().__init__()
        self.embeddings = BertEmbeddings(config)
        self.block = nn.ModuleList(
            [SwitchLayer(config, mlp) for _ in range(config.num_hidden_layers)]
        )
        self.pooler = BertPooler(config)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.apply(init_weights)

    def forward(self, input_ids, attention_mask):
        """Return the logits, and for each layer the router's logits, choices and counts."""
        hidden_states = self.embeddings(input_ids)
        extended = extended_attention_mask(attention_mask, hidden_states.dtype)
        routes = []
        for layer_module in self.block:
            hidden_states, router_tuple = layer_module(hidden_states, extended)
            routes.append(router_tuple)
        return self.classifier(self.pooler(hidden_states)), routes


LAYERS = {"huggingface": SparseSwitch, "labml": LabMLSwitch}


def build_seeded(name) -> SwitchClassifier:
    """Build a classifier with one kind of `LAYERS`, untrained; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2022)
        return SwitchClassifier(LAYERS[name], BertConfig(num_hidden_layers=2)).eval()


def _build(name) -> SwitchClassifier:
    model = build_seeded(name)
    load_weights(model, f"switch_{name}")
    return model


def build_model() -> SwitchClassifier:
    """The classifier of reviews with Hugging Face's layer, trained."""
    return _build("huggingface")


def build_labml() -> SwitchClassifier:
    """The classifier of reviews with labml's layer, trained."""
    return _build("labml")


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
    """The class, and how many tokens each expert got in each layer."""
    logits, routes = outputs
    counts = tuple(tuple(int(count) for count in counts) for _, _, counts in routes)
    return int(logits.argmax()), counts

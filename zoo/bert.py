"""BERT for texts of any length: an encoder whose work is as large as its input.

Devlin, Chang, Lee, Toutanova: "BERT: Pre-training of Deep Bidirectional Transformers for Language
Understanding", NAACL 2019; well-known upstream repositories: google-research/bert and
huggingface/transformers, after whose modules the classes are named (an own implementation, not a
copy).

There is no branch in it: all that differs from input to input is the number of tokens, and how many
of them the mask lets the others see. A compiler that takes one length for all is wrong, or pads.
`build_base` has the paper's size: 12 layers, 768 wide, 12 heads, 110 million parameters.
`build_model` is a small one. Weights are seeded; what is decided, the class, depends on the text.
"""

import math

import torch
from torch import nn

TOKENS = 128
"""The longest sample text; positions go further."""


class BertEmbeddings(nn.Module):
    """Words, positions and segments, summed."""

    def __init__(self, vocab_size, hidden_size, max_position_embeddings):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, hidden_size, padding_idx=0)
        self.position_embeddings = nn.Embedding(max_position_embeddings, hidden_size)
        self.token_type_embeddings = nn.Embedding(2, hidden_size)
        self.LayerNorm = nn.LayerNorm(hidden_size, eps=1e-12)
        self.register_buffer("position_ids", torch.arange(max_position_embeddings).unsqueeze(0))

    def forward(self, input_ids, token_type_ids):
        seq_length = input_ids.size(1)
        position_ids = self.position_ids[:, :seq_length]
        embeddings = self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids)
        return self.LayerNorm(embeddings + self.position_embeddings(position_ids))


class BertSelfAttention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.attention_head_size = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)

    def transpose_for_scores(self, x):
        new_x_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        return x.view(new_x_shape).permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask):
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        attention_probs = nn.functional.softmax(attention_scores + attention_mask, dim=-1)
        context_layer = torch.matmul(attention_probs, value_layer).permute(0, 2, 1, 3).contiguous()
        new_context_layer_shape = context_layer.size()[:-2] + (hidden_states.size(-1),)
        return context_layer.view(new_context_layer_shape)


class BertLayer(nn.Module):
    """Attention and a perceptron, each followed by a norm of the sum with its input."""

    def __init__(self, hidden_size, num_attention_heads, intermediate_size):
        super().__init__()
        self.attention = BertSelfAttention(hidden_size, num_attention_heads)
        self.attention_output = nn.Linear(hidden_size, hidden_size)
        self.attention_norm = nn.LayerNorm(hidden_size, eps=1e-12)
        self.intermediate = nn.Linear(hidden_size, intermediate_size)
        self.output = nn.Linear(intermediate_size, hidden_size)
        self.output_norm = nn.LayerNorm(hidden_size, eps=1e-12)

    def forward(self, hidden_states, attention_mask):
        attended = self.attention_output(self.attention(hidden_states, attention_mask))
        attended = self.attention_norm(attended + hidden_states)
        intermediate = nn.functional.gelu(self.intermediate(attended))
        return self.output_norm(self.output(intermediate) + attended)


class BertModel(nn.Module):
    """Embeddings and layers; the state of the first token goes through the pooler."""

    def __init__(self, vocab_size, hidden_size, num_hidden_layers, num_attention_heads):
        super().__init__()
        self.embeddings = BertEmbeddings(vocab_size, hidden_size, 512)
        self.layer = nn.ModuleList(
            [
                BertLayer(hidden_size, num_attention_heads, 4 * hidden_size)
                for _ in range(num_hidden_layers)
            ]
        )
        self.pooler = nn.Linear(hidden_size, hidden_size)

    def get_extended_attention_mask(self, attention_mask, dtype):
        extended = attention_mask[:, None, None, :].to(dtype=dtype)
        return (1.0 - extended) * torch.finfo(dtype).min

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        if attention_mask is None:
            attention_mask = torch.ones(input_ids.size(), device=input_ids.device)
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        hidden_states = self.embeddings(input_ids, token_type_ids)
        mask = self.get_extended_attention_mask(attention_mask, hidden_states.dtype)
        for layer_module in self.layer:
            hidden_states = layer_module(hidden_states, mask)
        return hidden_states, torch.tanh(self.pooler(hidden_states[:, 0]))


class BertForSequenceClassification(nn.Module):
    """Classifies a text."""

    def __init__(
        self,
        num_labels=5,
        vocab_size=30522,
        hidden_size=768,
        num_hidden_layers=12,
        num_attention_heads=12,
    ):
        super().__init__()
        self.bert = BertModel(vocab_size, hidden_size, num_hidden_layers, num_attention_heads)
        self.classifier = nn.Linear(hidden_size, num_labels)
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            module.weight.data.normal_(mean=0.0, std=0.02)
            module.bias.data.zero_()
        elif isinstance(module, nn.Embedding):
            module.weight.data.normal_(mean=0.0, std=0.02)

    def forward(self, input_ids, attention_mask):
        """Return the logits of the classes and the states of all tokens."""
        sequence_output, pooled_output = self.bert(input_ids, attention_mask)
        return self.classifier(pooled_output), sequence_output


def _seeded(**sizes):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = BertForSequenceClassification(**sizes).eval()
    with torch.no_grad():  # a text must matter more to the class than the biases do
        model.classifier.weight.mul_(20)
        model.bert.pooler.weight.mul_(4)
    return model


def build_model():
    """Build a small BERT: 3 layers, 96 wide."""
    return _seeded(vocab_size=1000, hidden_size=96, num_hidden_layers=3, num_attention_heads=4)


def build_base():
    """Build BERT-base."""
    return _seeded()


def example_inputs():
    return torch.ones(1, 16, dtype=torch.long), torch.ones(1, 16)


def dynamic_shapes():
    length = torch.export.Dim("length", min=1, max=512)
    return {"input_ids": {1: length}, "attention_mask": {1: length}}


def sample_inputs(count, seed=0):
    """Return texts of 1 to 128 tokens; every third one is padded at its end."""
    generator = torch.Generator().manual_seed(seed)
    samples = []
    for index in range(count):
        length = int(torch.randint(1, TOKENS + 1, (1,), generator=generator))
        input_ids = torch.randint(1, 1000, (1, length), generator=generator)
        attention_mask = torch.ones(1, length)
        if index % 3 == 2:
            padding = int(torch.randint(0, length, (1,), generator=generator))
            attention_mask[:, length - padding :] = 0
            input_ids[:, length - padding :] = 0
        samples.append((input_ids, attention_mask))
    return samples


def decide(outputs):
    """The class and the number of tokens."""
    return int(outputs[0].argmax()), outputs[1].shape[1]

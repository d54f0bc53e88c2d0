"""The parts of BERT that the zoo's early-exit transformers share.

Devlin et al.: "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
NAACL 2019; layers as in huggingface/transformers (an own implementation, not a copy).
"""

import math
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class BertConfig:
    """Sizes; far smaller than the paper's."""

    vocab_size: int = 48
    hidden_size: int = 32
    num_hidden_layers: int = 6
    num_attention_heads: int = 4
    intermediate_size: int = 64
    max_position_embeddings: int = 16
    num_labels: int = 3
    layer_norm_eps: float = 1e-12


class BertEmbeddings(nn.Module):
    """Words and positions."""

    def __init__(self, config):
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=0)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.register_buffer(
            "position_ids",
            torch.arange(config.max_position_embeddings).expand((1, -1)),
            persistent=False,
        )

    def forward(self, input_ids):
        position_ids = self.position_ids[:, : input_ids.size(1)]
        embeddings = self.word_embeddings(input_ids) + self.position_embeddings(position_ids)
        return self.LayerNorm(embeddings)


class BertSelfAttention(nn.Module):
    """Attention of several heads under an additive mask."""

    def __init__(self, config):
        super().__init__()
        self.num_attention_heads = config.num_attention_heads
        self.attention_head_size = config.hidden_size // config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)

    def transpose_for_scores(self, x):
        new_x_shape = (*x.size()[:-1], self.num_attention_heads, self.attention_head_size)
        return x.view(*new_x_shape).permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask):
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))
        scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        scores = scores / math.sqrt(self.attention_head_size) + attention_mask
        context_layer = torch.matmul(nn.functional.softmax(scores, dim=-1), value_layer)
        context_layer = context_layer.permute(0, 2, 1, 3).contiguous()
        new_context_layer_shape = (*context_layer.size()[:-2], -1)
        return context_layer.view(*new_context_layer_shape)


class BertLayer(nn.Module):
    """Attention and feed-forward network, each added and normalised."""

    def __init__(self, config):
        super().__init__()
        self.attention = BertSelfAttention(config)
        self.attention_output = nn.Linear(config.hidden_size, config.hidden_size)
        self.attention_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.intermediate = nn.Linear(config.hidden_size, config.intermediate_size)
        self.output = nn.Linear(config.intermediate_size, config.hidden_size)
        self.output_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, hidden_states, attention_mask):
        attention = self.attention_output(self.attention(hidden_states, attention_mask))
        hidden_states = self.attention_norm(hidden_states + attention)
        intermediate = nn.functional.gelu(self.intermediate(hidden_states))
        return self.output_norm(hidden_states + self.output(intermediate))


class BertPooler(nn.Module):
    """What the first token has gathered."""

    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = nn.Tanh()

    def forward(self, hidden_states):
        first_token_tensor = hidden_states[:, 0]
        return self.activation(self.dense(first_token_tensor))


def extended_attention_mask(attention_mask, dtype):
    """Turn a mask of 0 and 1 into what is added to the scores."""
    extended = attention_mask[:, None, None, :].to(dtype=dtype)
    return (1.0 - extended) * -10000.0


def init_weights(module):
    """Initialise as BERT does, somewhat wider since the layers are narrow."""
    if isinstance(module, (nn.Linear, nn.Embedding)):
        module.weight.data.normal_(mean=0.0, std=0.1)
    if isinstance(module, nn.Linear) and module.bias is not None:
        module.bias.data.zero_()

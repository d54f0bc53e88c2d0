"""An attention captioner: an LSTM that looks at a picture's features and writes until it stops.

Xu et al.: "Show, Attend and Tell: Neural Image Caption Generation with Visual Attention", ICML
2015; known from sgrvinod/a-PyTorch-Tutorial-to-Image-Captioning (an own implementation, not a
copy).

`forward` decodes greedily: each picture stops at its own word. `beam_search` keeps `beam_size`
hypotheses; one that ends leaves the beam, so the batch shrinks while the sequences grow. Weights
are seeded, with an end-of-sentence word likely enough that captions of all lengths occur.
"""

import torch
import torch.nn.functional as F
from torch import nn

START, END = 0, 1
MAX_WORDS = 12


class Attention(nn.Module):
    """Weights of the picture's places, given the decoder's hidden state."""

    def __init__(self, feature_dim, hidden_dim, attention_dim):
        super().__init__()
        self.of_features = nn.Linear(feature_dim, attention_dim)
        self.of_hidden = nn.Linear(hidden_dim, attention_dim)
        self.score = nn.Linear(attention_dim, 1)

    def forward(self, features, hidden):
        mixed = torch.relu(self.of_features(features) + self.of_hidden(hidden).unsqueeze(1))
        weights = F.softmax(self.score(mixed).squeeze(2), dim=1)
        return (features * weights.unsqueeze(2)).sum(dim=1), weights


class Captioner(nn.Module):
    """Decodes captions from a grid of features."""

    def __init__(
        self,
        vocab_size=20,
        feature_dim=16,
        embed_dim=12,
        hidden_dim=24,
        attention_dim=16,
        beam_size=3,
    ):
        super().__init__()
        self.vocab_size = vocab_size
        self.beam_size = beam_size
        self.attention = Attention(feature_dim, hidden_dim, attention_dim)
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.cell = nn.LSTMCell(embed_dim + feature_dim, hidden_dim)
        self.init_h = nn.Linear(feature_dim, hidden_dim)
        self.init_c = nn.Linear(feature_dim, hidden_dim)
        self.gate = nn.Linear(hidden_dim, feature_dim)
        self.output = nn.Linear(hidden_dim, vocab_size)

    def init_hidden(self, features):
        mean = features.mean(dim=1)
        return self.init_h(mean), self.init_c(mean)

    def step(self, words, features, h, c):
        context, weights = self.attention(features, h)
        context = torch.sigmoid(self.gate(h)) * context
        h, c = self.cell(torch.cat([self.embedding(words), context], dim=1), (h, c))
        return F.log_softmax(self.output(h), dim=1), h, c, weights

    def forward(self, features):
        """Return the words of the most likely caption, word by word, and where each looked."""
        h, c = self.init_hidden(features)
        word = torch.tensor([START])
        caption, looks = [], []
        for _ in range(MAX_WORDS):
            scores, h, c, weights = self.step(word, features, h, c)
            word = scores.argmax(dim=1)
            if word.item() == END:
                break
            caption.append(word.item())
            looks.append(weights)
        return caption, looks

    def beam_search(self, features):
        """Return the best caption that ends, and its score."""
        k = self.beam_size
        features = features.expand(k, features.size(1), features.size(2))
        words = torch.full((k,), START)
        seqs = words.unsqueeze(1)
        top_scores = torch.zeros(k, 1)
        complete_seqs, complete_scores = [], []
        h, c = self.init_hidden(features)
        step = 1
        while True:
            scores, h, c, _ = self.step(words, features, h, c)
            scores = top_scores.expand_as(scores) + scores
            if step == 1:  # all hypotheses are alike
                top_scores, top_words = scores[0].topk(k)
            else:
                top_scores, top_words = scores.view(-1).topk(k)
            origin = top_words // self.vocab_size
            words = top_words % self.vocab_size
            seqs = torch.cat([seqs[origin], words.unsqueeze(1)], dim=1)

            open_inds = [i for i, word in enumerate(words) if word != END]
            done_inds = list(set(range(len(words))) - set(open_inds))
            if len(done_inds) > 0:
                complete_seqs.extend(seqs[done_inds].tolist())
                complete_scores.extend(top_scores[done_inds].tolist())
            k -= len(done_inds)
            if k == 0 or step > MAX_WORDS:
                break
            seqs = seqs[open_inds]
            h = h[origin[open_inds]]
            c = c[origin[open_inds]]
            features = features[origin[open_inds]]
            top_scores = top_scores[open_inds].unsqueeze(1)
            words = words[open_inds]
            step += 1
        if not complete_seqs:
            return seqs[0].tolist(), top_scores[0].item()
        best = complete_scores.index(max(complete_scores))
        return complete_seqs[best], complete_scores[best]


def build_model():
    torch.manual_seed(0)
    model = Captioner().eval()
    with torch.no_grad():
        model.output.weight.mul_(4)
        model.output.bias[END] += 0.7
        model.init_h.weight.mul_(3)
    return model


def example_inputs():
    return (torch.zeros(1, 9, 16),)


def sample_inputs(count, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [(2 * torch.randn(1, 9, 16, generator=generator),) for _ in range(count)]


def decide(outputs):
    """The words."""
    return tuple(outputs[0])

"""Decoders as people write them: greedy, beam search, captioning, stop tokens, transducers."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import case, noise

EOS = 1


class _Cell(nn.Module):
    """A step of a recurrent language model over six tokens."""

    def __init__(self, vocabulary=6, width=5, seed_scale=3.0):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.cell = nn.GRUCell(width, width)
        self.out = nn.Linear(width, vocabulary)
        self.scale = seed_scale

    def forward(self, token, hidden):
        """Return logits and the next state."""
        hidden = self.cell(self.embed(token), hidden)
        return self.out(hidden) * self.scale, hidden


HIDDEN = [
    (noise(1, 5),),
    (noise(1, 5, seed=1),),
    (noise(1, 5, seed=2),),
    (noise(1, 5, seed=4) * 4,),
]


@case(inputs=HIDDEN)
class GreedyDecoder(nn.Module):
    """Greedy decoding until the end token or a maximal length."""

    def __init__(self, limit=12):
        super().__init__()
        self.step = _Cell()
        self.limit = limit

    def forward(self, hidden):
        token = torch.zeros(1, dtype=torch.long)
        tokens = []
        for _ in range(self.limit):
            logits, hidden = self.step(token, hidden)
            token = logits.argmax(dim=-1)
            if token.item() == EOS:
                break
            tokens.append(token.item())
        return tokens, hidden


@case(inputs=HIDDEN)
class WhileDecoder(nn.Module):
    """Decoding in a while loop that concatenates the output tensor."""

    def __init__(self):
        super().__init__()
        self.step = _Cell()

    def forward(self, hidden):
        output = torch.zeros(1, 1, dtype=torch.long)
        token = -1
        while token != EOS and output.size(1) < 8:
            logits, hidden = self.step(output[:, -1], hidden)
            token = int(logits[0].argmax())
            output = torch.cat([output, torch.tensor([[token]])], dim=1)
        return output


@case(inputs=[*HIDDEN, (noise(1, 5) * 4,), (noise(1, 5, seed=2) * 4,)], slow=True)
class BeamSearch(nn.Module):
    """Beam search with finished hypotheses taken out and a length penalty."""

    def __init__(self, width=3, limit=5):
        super().__init__()
        self.step = _Cell()
        self.width, self.limit = width, limit

    def forward(self, hidden):
        beams = [([0], 0.0, hidden)]
        finished = []
        for _ in range(self.limit):
            candidates = []
            for tokens, score, state in beams:
                logits, state = self.step(torch.tensor([tokens[-1]]), state)
                scores, choices = F.log_softmax(logits, dim=-1)[0].topk(self.width)
                for value, choice in zip(scores.tolist(), choices.tolist()):
                    candidates.append((tokens + [choice], score + value, state))
            candidates.sort(key=lambda c: c[1], reverse=True)
            beams = []
            for tokens, score, state in candidates[: self.width]:
                if tokens[-1] == EOS:
                    finished.append((tokens, score / len(tokens)))
                else:
                    beams.append((tokens, score, state))
            if len(finished) >= self.width:
                break
        if not finished:
            finished = [(tokens, score / len(tokens)) for tokens, score, _ in beams]
        return max(finished, key=lambda f: f[1])


@case(
    inputs=[(noise(1, 4, 5),), (noise(1, 4, 5, seed=3) * 3,), (noise(1, 4, 5, seed=8) * 9,)],
    slow=True,
)
class AttentionCaptioner(nn.Module):
    """A captioner that attends to image features and returns words and attention maps."""

    def __init__(self):
        super().__init__()
        self.step = _Cell(seed_scale=5.0)
        self.query = nn.Linear(5, 5)
        self.words = ["<start>", "<end>", "a", "dog", "cat", "runs"]

    def attend(self, features, hidden):
        weights = torch.softmax((features @ self.query(hidden).unsqueeze(-1)).squeeze(-1), dim=1)
        return (weights.unsqueeze(-1) * features).sum(1), weights

    def forward(self, features):
        hidden = features.mean(dim=1)
        token, caption, maps = torch.tensor([0]), [], []
        while len(caption) < 6:
            context, weights = self.attend(features, hidden)
            logits, hidden = self.step(token, hidden + context)
            token = logits.argmax(-1)
            word = self.words[token.item()]
            if word == "<end>":
                break
            caption.append(word)
            maps.append(weights)
        return " ".join(caption), maps


@case(inputs=[(noise(1, 4),), (noise(1, 4, seed=1) * 5,), (noise(1, 4, seed=3) * 9,)])
class StopTokenDecoder(nn.Module):
    """A speech decoder that emits frames until its stop probability passes a threshold."""

    def __init__(self, limit=10):
        super().__init__()
        self.rnn = nn.LSTMCell(4, 4)
        self.frame = nn.Linear(4, 4)
        self.stop = nn.Linear(4, 1)
        self.limit, self.threshold = limit, 0.56

    def forward(self, memory):
        h = c = torch.zeros(1, 4)
        frame = torch.zeros(1, 4)
        frames, stops = [], []
        while True:
            h, c = self.rnn(frame + memory, (h, c))
            frame = self.frame(h)
            gate = torch.sigmoid(self.stop(h))
            frames.append(frame)
            stops.append(gate.item())
            if gate > self.threshold:
                break
            elif len(frames) == self.limit:
                print("Warning: reached max decoder steps")
                break
        return torch.stack(frames, dim=1), stops


@case(inputs=[(noise(5, 4) * 4,), (noise(5, 4, seed=1) * 4,), (noise(5, 4, seed=2),)], slow=True)
class TransducerGreedy(nn.Module):
    """Transducer decoding: several labels per frame until a blank."""

    def __init__(self):
        super().__init__()
        self.predict = nn.LSTMCell(4, 4)
        self.embed = nn.Embedding(5, 4)
        self.joint = nn.Linear(8, 5)
        self.blank = 0

    def forward(self, frames):
        labels, state = [], None
        g = torch.zeros(1, 4)
        for t in range(frames.size(0)):
            emitted = 0
            while emitted < 3:
                logits = self.joint(torch.cat([frames[t : t + 1], g], dim=1))
                label = logits.argmax(1).item()
                if label == self.blank:
                    break
                labels.append(label)
                emitted += 1
                state = self.predict(self.embed(torch.tensor([label])), state)
                g = state[0]
        return labels


@case(inputs=[(0, 6), (2, 6), (3, 1), (4, 0)], slow=True)
class SpeculativeDecoding(nn.Module):
    """A small model drafts tokens, a large one accepts a prefix of them."""

    def __init__(self):
        super().__init__()
        self.draft = nn.Parameter(torch.randn(5, 5))
        self.large = nn.Parameter(self.draft.detach() + 1.1 * torch.randn(5, 5))

    def forward(self, start: int, length: int):
        tokens, accepted = [start], 0
        while len(tokens) <= length:
            guess = list(tokens[-1:])
            for _ in range(2):
                guess.append(self.draft[guess[-1]].argmax().item())
            truth = self.large[torch.tensor(guess)].argmax(dim=1).tolist()
            for proposed, right in zip(guess[1:], truth):
                tokens.append(right)
                if proposed != right:
                    break
                accepted += 1
        return tokens[: length + 1], accepted


@case(inputs=[(noise(2, 5),), (noise(2, 5, seed=4),), (noise(2, 5, seed=3) * 6,)], slow=True)
class BatchedGreedy(nn.Module):
    """A batch decodes until all rows have ended; ended rows are padded by a mask."""

    def __init__(self):
        super().__init__()
        self.step = _Cell()

    def forward(self, hidden):
        tokens = torch.zeros(2, dtype=torch.long)
        done = torch.zeros(2, dtype=torch.bool)
        output = []
        for _ in range(6):
            logits, hidden = self.step(tokens, hidden)
            tokens = torch.where(done, torch.full_like(tokens, EOS), logits.argmax(-1))
            output.append(tokens)
            done = done | (tokens == EOS)
            if done.all():
                break
        return torch.stack(output, dim=1), done.tolist()


@case(inputs=HIDDEN, slow=True)
class KeyValueCache(nn.Module):
    """A cache of keys and values that grows by concatenation."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(6, 5)
        self.qkv = nn.Linear(5, 15)
        self.out = nn.Linear(5, 6)

    def forward(self, x):
        keys = values = None
        tokens = []
        for _ in range(6):
            q, k, v = self.qkv(x).chunk(3, dim=-1)
            keys = k if keys is None else torch.cat([keys, k], dim=0)
            values = v if values is None else torch.cat([values, v], dim=0)
            x = torch.softmax(q @ keys.T, dim=-1) @ values
            token = self.out(x * 4).argmax(-1)
            if token == EOS:
                break
            tokens.append(int(token))
            x = x + self.embed(token)
        return tokens, keys.shape[0]

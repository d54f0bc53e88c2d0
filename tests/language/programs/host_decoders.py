"""Decoders as real models write them: hypotheses, words and tables on the host."""

import collections

import torch
from torch import nn

from tests.language.harness import case, noise

FRAMES = [(noise(6, 5),), (noise(6, 5, seed=3) * 3,), (torch.zeros(6, 5),)]
Hypothesis = collections.namedtuple("Hypothesis", ["score", "tokens", "state"])


class _Scorer(nn.Module):
    """Log probabilities of five tokens, and a state."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 4)
        self.cell = nn.GRUCell(4, 4)
        self.out = nn.Linear(4, 5)

    def step(self, token, state):
        """Return scores and the next state for one token."""
        state = self.cell(self.embedding(torch.tensor([token])), state)
        return torch.log_softmax(self.out(state), dim=-1)[0], state


@case(inputs=[(0, 3), (1, 4), (4, 0)])
class BeamOfTuples(_Scorer):
    """Beam search over tuples of score, tokens and state, ranked with a length penalty."""

    def forward(self, start: int, steps: int):
        beams = [(0.0, [start], torch.zeros(1, 4))]
        finished = []
        for _ in range(steps):
            candidates = []
            for score, tokens, state in beams:
                scores, following = self.step(tokens[-1], state)
                values, places = scores.topk(2)
                for value, place in zip(values.tolist(), places.tolist()):
                    candidates.append((score + value, tokens + [place], following))
            candidates.sort(key=lambda beam: beam[0] / len(beam[1]) ** 0.6, reverse=True)
            beams = []
            for candidate in candidates:
                if candidate[1][-1] == 4:
                    finished.append(candidate)
                elif len(beams) < 2:
                    beams.append(candidate)
            if not beams:  # known
                break  # never
        finished.extend(beams)
        best = max(finished, key=lambda beam: beam[0] / len(beam[1]))
        return best[1], best[0], len(finished)


@case(inputs=[(0, 3), (2, 1), (3, 0)])
class BeamOfNamedTuples(_Scorer):
    """Hypotheses are named tuples; two are kept in each step."""

    def forward(self, start: int, steps: int):
        beam = [Hypothesis(0.0, (start,), torch.zeros(1, 4))]
        for _ in range(steps):
            grown = []
            for hypothesis in beam:
                scores, state = self.step(hypothesis.tokens[-1], hypothesis.state)
                for token in range(5):
                    grown.append(
                        Hypothesis(
                            hypothesis.score + scores[token].item(),
                            [*hypothesis.tokens, token],
                            state,
                        )
                    )
            beam = sorted(grown, key=lambda h: -h.score)[:2]
            beam = [Hypothesis(h.score, tuple(h.tokens), h.state) for h in beam]
        return [list(h.tokens) for h in beam], beam[0].state


@case(inputs=FRAMES)
def ctc_greedy(frames):
    """CTC: repeats collapse, blanks go, letters are joined."""
    letters = "-abcd"
    best = frames.argmax(dim=-1).tolist()
    out, previous = [], None
    for token in best:
        if token != previous and token != 0:
            out.append(letters[token])
        previous = token
    text = "".join(out)
    return text, len(text), text.count("a"), f"<{text}>", text[:2].upper()


@case(inputs=FRAMES)
def ctc_prefix_beam(frames):
    """CTC prefix search: a dict of prefixes to probabilities, pruned in each frame."""
    probabilities = torch.softmax(frames, dim=-1).tolist()
    beam = {(): (1.0, 0.0)}
    for row in probabilities[:4]:
        grown = collections.defaultdict(lambda: (0.0, 0.0))
        for prefix, (blank, symbol) in beam.items():
            for token in range(3):
                p = row[token]
                if token == 0:
                    b, s = grown[prefix]
                    grown[prefix] = (b + (blank + symbol) * p, s)
                elif len(prefix) > 0 and prefix[-1] == token:
                    b, s = grown[prefix]
                    grown[prefix] = (b, s + symbol * p)
                else:
                    longer = prefix + (token,)
                    b, s = grown[longer]
                    grown[longer] = (b, s + (blank + symbol) * p)
        ranked = sorted(grown.items(), key=lambda item: sum(item[1]), reverse=True)
        beam = dict(ranked[:3])
    return list(beam)[0], len(beam)


@case(inputs=[(0, 4), (1, 8), (3, 0)])
class NoRepeatedBigrams(_Scorer):
    """N-gram blocking: tokens that would repeat a pair are forbidden."""

    def forward(self, start: int, steps: int):
        tokens, state = [start], torch.zeros(1, 4)
        for _ in range(steps):
            scores, state = self.step(tokens[-1], state)
            seen = {}
            for pair in zip(tokens, tokens[1:]):
                seen[pair[0]] = seen.get(pair[0], []) + [pair[1]]
            banned = seen.get(tokens[-1], [])
            ranked = sorted(range(5), key=lambda token: scores[token].item(), reverse=True)
            allowed = [token for token in ranked if token not in banned]
            if not allowed:  # known
                break  # never
            tokens.append(allowed[0])
        return tokens, len(set(tokens))


@case(inputs=[(torch.tensor([1, 3, 2, 4, 0]),), (torch.tensor([1, 1, 4, 4, 0]),)])
class ShiftReduce(_Scorer):
    """A stack-based parser: shift and reduce build nested text and a combined tensor."""

    def forward(self, actions):
        stack, words, joined = [], [], 0
        for action in actions.tolist():
            if action < 3 or len(stack) < 2:
                stack.append(self.embedding(torch.tensor(action)))
                words.append(str(action))
            else:
                right, left = stack.pop(), stack.pop()
                stack.append(torch.tanh(left + right))
                second, first = words.pop(), words.pop()
                words.append("(" + first + " " + second + ")")
                joined += 1
        return stack[-1], words, joined


@case(inputs=[(noise(4, 4),), (noise(4, 4, seed=7),), (torch.ones(4, 4),)])
class DispatchByExpert(nn.Module):
    """Mixture of experts: rows are sent to the expert that a dict of lists says."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 3)
        self.experts = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x):
        chosen = self.gate(x).argmax(dim=-1).tolist()
        rows = collections.defaultdict(list)
        for i, expert in enumerate(chosen):
            rows[expert].append(i)
        out = torch.zeros_like(x)
        for expert, members in sorted(rows.items()):
            for i in members:
                out[i] = self.experts[expert](x[i])
        return out, dict(rows)


@case(inputs=[(noise(5), 0.5), (noise(5, seed=2), 0.9), (torch.zeros(5), 0.1)])
def nucleus_on_the_host(scores, p):
    """The smallest set of tokens whose probability exceeds p, chosen on the host."""
    probabilities = torch.softmax(scores, dim=-1).tolist()
    order = sorted(range(5), key=lambda i: -probabilities[i])
    kept, total = [], 0.0
    for i in order:
        kept.append(i)
        total += probabilities[i]
        if total >= p:
            break
    return kept, {i: round(probabilities[i], 4) for i in kept}, max(kept)

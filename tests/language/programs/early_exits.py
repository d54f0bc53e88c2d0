"""Early exits: patience, entropy, agreement, exceptions, cascades, distillation heads."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case

INPUTS = [
    (POSITIVE[:1],),
    (NEGATIVE[:1],),
    (LARGE[:1],),
    (MIXED[1:],),
    (LARGE[1:] * -20,),
    (ZERO[:1],),
]


class _Layers(nn.Module):
    """A stack of layers, each with a classifier."""

    def __init__(self, depth=4, classes=3):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(depth)])
        self.heads = nn.ModuleList([nn.Linear(3, classes) for _ in range(depth)])


@case(inputs=INPUTS)
class Patience(_Layers):
    """Exit when several classifiers in a row agree."""

    def __init__(self):
        super().__init__(depth=6, classes=2)

    def forward(self, x):
        patience, previous, agreed = 2, None, 0
        for i, (layer, head) in enumerate(zip(self.layers, self.heads)):
            x = torch.tanh(layer(x))
            logits = head(x)
            label = logits.argmax(dim=-1)
            if previous is not None and label == previous:
                agreed += 1
            else:
                agreed = 0
            previous = label
            if agreed == patience:
                break
        return logits, i + 1, agreed


@case(inputs=INPUTS)
class Entropy(_Layers):
    """Exit when the entropy of the prediction is low; all layers' outputs are collected."""

    def forward(self, x):
        collected = ()
        for i in range(len(self.layers)):
            x = F.relu(self.layers[i](x)) + x
            logits = self.heads[i](x)
            p = F.softmax(logits, dim=-1)
            entropy = -(p * p.clamp(min=1e-9).log()).sum()
            collected = collected + ((logits, entropy.item()),)
            if entropy < 0.6:
                return logits, collected, i
        return logits, collected, -1


class ConfidentExit(Exception):
    """Carries the message out of the encoder."""

    def __init__(self, message, exit_layer):
        self.message = message
        self.exit_layer = exit_layer


class _Encoder(_Layers):
    """Raises at the first confident layer."""

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x) + x
            score = torch.softmax(self.heads[i](x), dim=-1).max()
            if score > 0.7:
                raise ConfidentExit((x, score), i + 1)
        return x, score


@case(inputs=INPUTS)
class ExceptionExit(nn.Module):
    """The encoder leaves by an exception, as DeeBERT does."""

    def __init__(self):
        super().__init__()
        self.encoder = _Encoder()
        self.final = nn.Linear(3, 2)
        self.num_layers = 4

    def forward(self, x):
        exit_layer = self.num_layers
        try:
            outputs = self.encoder(x)
            outputs = (self.final(outputs[0]),) + outputs[1:]
        except ConfidentExit as e:
            outputs = e.message
            exit_layer = e.exit_layer
        return outputs + (exit_layer,)


@case(inputs=INPUTS)
class Cascade(nn.Module):
    """Models from small to large; the first confident one answers."""

    def __init__(self):
        super().__init__()
        widths = (2, 4, 8)
        self.models = nn.ModuleList(
            nn.Sequential(nn.Linear(3, w), nn.ReLU(), nn.Linear(w, 3)) for w in widths
        )
        self.thresholds = [0.6, 0.5, 0.0]

    def forward(self, x):
        for model, threshold in zip(self.models, self.thresholds):
            probability, label = model(x).softmax(-1).max(-1)
            if probability.item() >= threshold:
                break
        return label.item(), round(probability.item(), 4)


@case(inputs=INPUTS)
class BudgetedExit(_Layers):
    """Costs are added up on the host; the budget is an attribute dict."""

    costs = {0: 1.0, 1: 1.5, 2: 2.5, 3: 4.0}

    def forward(self, x, budget: float = 4.0):
        spent, answer = 0.0, None
        for i, layer in enumerate(self.layers):
            if spent + self.costs[i] > budget:
                break
            spent += self.costs[i]
            x = layer(x)
            if answer is None or x.norm() > 1.5:
                answer = self.heads[i](x)
        return answer, spent


@case(inputs=INPUTS)
class SkipAndExit(_Layers):
    """Layers are skipped by gates and left early; the path is returned as a string."""

    def forward(self, x):
        path = []
        for i, layer in enumerate(self.layers):
            gate = torch.sigmoid(self.heads[i](x)[0, 0])
            if gate < 0.45:
                path.append("-")
                continue
            x = torch.relu(layer(x)) + x
            path.append(str(i))
            if x.max() > 8:
                path.append("!")
                break
        else:
            path.append(".")
        return x, "".join(path)

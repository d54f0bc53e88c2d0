"""Parsers that shift and reduce: which element stands where is known on each path."""

import torch
from torch import nn

from tests.language.harness import case, noise

TOKENS = [(noise(4, 6, seed=seed) * 3,) for seed in range(12)]


@case(inputs=TOKENS, slow=True)
class ShiftReduce(nn.Module):
    """A stack of tensors grows and shrinks as tensors say; what was done is a result, too."""

    def __init__(self):
        super().__init__()
        self.both = nn.Linear(12, 6)
        self.policy = nn.Linear(12, 2)

    def forward(self, tokens):
        buffer, stack, actions = list(tokens.unbind(0)), [], []
        while buffer or len(stack) > 1:  # known
            top = torch.cat([*stack[-2:], torch.zeros(12)])[:12]
            if len(stack) < 2:
                action = 0
            elif len(buffer) == 0:
                action = 1
            else:
                action = int(self.policy(top).argmax())
            if action == 0:
                stack.append(buffer.pop(0))
            else:
                right, left = stack.pop(), stack.pop()
                stack.append(torch.tanh(self.both(torch.cat([left, right]))))
            actions.append(action)
        return stack[0], actions


"""Code that is skipped where a tensor has no rows: experts without tokens, and other things."""

import torch
from torch import nn

from tests.language.harness import case, noise

TOKENS = [(noise(4, 3),), (noise(4, 3, seed=1).abs(),), (torch.ones(4, 3),), (-torch.ones(4, 3),)]
ROWS = [(noise(4, 3), torch.tensor(1)), (-torch.ones(4, 3), torch.tensor(7))]


class Experts(nn.Module):
    """Two layers; rows whose first element is positive go to the first one."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(3, 2)
        self.experts = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])
        self.table = nn.Parameter(torch.arange(6.0).view(2, 3))

    def places(self, x, number):
        return torch.nonzero(x[:, 0] > 0 if number == 0 else x[:, 0] < -0.5).squeeze(1)


@case(inputs=TOKENS)
class AddedInPlaces(Experts):
    """What is added at no place changes nothing."""

    def forward(self, x):
        output = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows = self.places(x, number)
            if len(rows) == 0:
                continue
            output[rows] += torch.tanh(expert(x[rows])) * 2
        return output


@case(inputs=TOKENS)
class AddedToConstant(Experts):
    """What is added to is known when it compiles, and the same in each call."""

    def forward(self, x):
        output = torch.full((4, 3), 0.5)
        for number, expert in enumerate(self.experts):
            rows = self.places(x, number)
            if rows.shape[0] == 0:
                continue
            output.index_add_(0, rows, expert(x[rows]))
        return output


@case(
    inputs=[*TOKENS, (noise(2, 3),), (torch.ones(1, 3),), (torch.zeros(0, 3),)],
    dynamic_shapes={"x": {0: torch.export.Dim("tokens", min=0, max=9)}},
)
class AnyNumberOfTokens(Experts):
    """How many rows there are is known at run time."""

    def forward(self, x):
        output = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows = self.places(x, number)
            if rows.numel() > 0:
                output[rows] += expert(x[rows])
        return output


@case(inputs=TOKENS)
class WrittenInPlaces(Experts):
    """So does what is written there, and the rows are read again."""

    def forward(self, x):
        output = x.clone()
        for number, expert in enumerate(self.experts):
            rows = self.places(output, number)
            if rows.shape[0] > 0:
                output[rows] = expert(output[rows])
        return output, output.sum()


@case(inputs=TOKENS)
class CountedOtherwise(Experts):
    """The other way does something on the host."""

    def forward(self, x):
        output, idle = torch.zeros_like(x), 0
        for number, expert in enumerate(self.experts):
            rows = self.places(x, number)
            if rows.numel() == 0:
                idle += 1
            else:
                output.index_add_(0, rows, expert(x[rows]))
        return output, idle


@case(inputs=TOKENS)
class MeansOfRows(Experts):
    """A mean of no rows would be NaN."""

    def forward(self, x):
        output = torch.zeros(3)
        for number, expert in enumerate(self.experts):
            rows = self.places(x, number)
            if len(rows):
                output = output + expert(x[rows]).mean(0)
        return output


@case(inputs=TOKENS)
class LargestOfRows(Experts):
    """No rows have no largest element."""

    def forward(self, x):
        output = x.clone()
        for number, expert in enumerate(self.experts):
            rows = self.places(x, number)
            if len(rows) > 0:
                output[rows] = output[rows] * expert(x[rows]).amax(0)
        return output


@case(inputs=TOKENS)
class OtherTensorForNone(Experts):
    """Another tensor takes the place of the first where nothing is left."""

    def forward(self, x):
        output = torch.zeros_like(x)
        rows = self.places(x, 0)
        if rows.shape[0] == 0:
            output = x
        else:
            output.index_add_(0, rows, self.experts[0](x[rows]))
        return output * 2


@case(inputs=TOKENS)
class TellsOfRows(Experts):
    """What is printed is printed for rows alone."""

    def forward(self, x):
        output = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows = self.places(x, number)
            if len(rows) > 0:
                print(number, len(rows))
                output.index_add_(0, rows, expert(x[rows]))
        return output


@case(inputs=ROWS)
class LooksUpForRows(Experts):
    """A place that is out of range is looked up for rows alone."""

    def forward(self, x, word):
        output = torch.zeros_like(x)
        rows = self.places(x, 0)
        if len(rows) > 0:
            output.index_add_(0, rows, x[rows] + self.table[word])
        return output


@case(inputs=[(-torch.ones(4, 3), torch.tensor([7])), (torch.ones(4, 3), torch.tensor([1]))])
class LooksUpInNoRows(Experts):
    """Nobody looks for a column that is out of range where there are no rows."""

    def forward(self, x, column):
        output = torch.zeros_like(x)
        for number in (0.5, 1.0):
            rows = torch.nonzero(x[:, 0] > number).squeeze(1)
            if len(rows) > 0:
                output.index_add_(0, rows, x[rows][:, column].expand(-1, 3))
        return output

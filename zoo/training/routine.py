"""The training loop that the scripts beside this file share: fixed seeds, one thread, a bar."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from torch import Tensor, nn

from zoo.digits import labelled_pictures

LossFunction = Callable[[Tensor, Tensor, float], Tensor]
"""(inputs, labels, how far the training is from 0 to 1) -> loss."""

StepLoss = Callable[[int], Tensor]
"""The number of a step, which is also the seed of its batch -> loss."""

Draw = Callable[[int, int], tuple[Tensor, Tensor]]
"""(count, seed) -> inputs and labels to train on."""


def training_digits(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return pictures of digits that are not held out."""
    return labelled_pictures(count, seed, held_out=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """How long and how fast to train."""

    steps: int
    batch_size: int = 48
    learning_rate: float = 4e-3
    weight_decay: float = 1e-3
    seed: int = 0


def train(
    title: str,
    parameters: list[nn.Parameter],
    loss_of: LossFunction,
    schedule: Schedule,
    draw: Draw = training_digits,
) -> None:
    """Minimise the loss over the parameters; each step draws new inputs."""

    def loss_of_step(step: int) -> Tensor:
        inputs, labels = draw(schedule.batch_size, schedule.seed * 1_000_003 + step)
        return loss_of(inputs, labels, step / schedule.steps)

    minimise(title, parameters, loss_of_step, schedule)


def minimise(
    title: str, parameters: list[nn.Parameter], loss_of_step: StepLoss, schedule: Schedule
) -> None:
    """Minimise over the parameters what a function gives for each step."""
    torch.set_num_threads(1)
    torch.manual_seed(schedule.seed)
    optimizer = torch.optim.AdamW(
        parameters, lr=schedule.learning_rate, weight_decay=schedule.weight_decay
    )
    rate = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, schedule.learning_rate, total_steps=schedule.steps
    )
    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("loss {task.fields[loss]:.3f}"),
    ]
    with Progress(*columns) as progress:
        bar = progress.add_task(title, total=schedule.steps, loss=float("nan"))
        for step in range(schedule.steps):
            loss = loss_of_step(step)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            rate.step()
            progress.update(bar, advance=1, loss=loss.item())
            if (step + 1) % max(1, schedule.steps // 10) == 0:
                progress.console.print(f"{title}: step {step + 1}, loss {loss.item():.3f}")

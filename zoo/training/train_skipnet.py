"""Train SkipNet-38 with feed-forward gates on digits: `python -m zoo.training.train_skipnet`."""

from zoo import skipnet
from zoo.measurement import measure_on_digits
from zoo.storage import save_weights
from zoo.training.gates import gated_loss
from zoo.training.routine import Schedule, train


def main() -> None:
    """Train, store the weights, print accuracy and path spread."""
    model = skipnet.build_seeded(38, widths=(8, 16, 32)).train()
    train(
        "SkipNet-38",
        list(model.parameters()),
        gated_loss(model, doubt_weight=1.5),
        Schedule(steps=700),
    )
    print(save_weights(model, "skipnet38"))
    print(measure_on_digits(model.eval(), skipnet.decide, 500))


if __name__ == "__main__":
    main()

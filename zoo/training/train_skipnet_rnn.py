"""Train SkipNet-38 with recurrent gates: `python -m zoo.training.train_skipnet_rnn`."""

from zoo import skipnet_rnn
from zoo.measurement import measure_on_digits
from zoo.storage import save_weights
from zoo.training.gates import gated_loss
from zoo.training.routine import Schedule, train


def main() -> None:
    """Train, store the weights, print accuracy and path spread."""
    model = skipnet_rnn.build_seeded().train()
    train(
        "SkipNet-38, recurrent gates",
        list(model.parameters()),
        gated_loss(model, doubt_weight=4.0),
        Schedule(steps=700),
    )
    print(save_weights(model, "skipnet38_rnn"))
    print(measure_on_digits(model.eval(), skipnet_rnn.decide, 500))


if __name__ == "__main__":
    main()

"""The pictures: held-out digits stay out of training, difficulty goes from clean to illegible."""

import torch

from zoo.digits import HELD_OUT, draw_pictures, labelled_pictures, load_digits, sample_pictures


def test_the_split_keeps_digits_from_training() -> None:
    training, training_labels = load_digits(held_out=False)
    held_out, labels = load_digits(held_out=True)
    assert len(training) + len(held_out) == 1797
    assert len(held_out) == len(labels) == HELD_OUT
    assert len(training_labels) == len(training)
    assert sorted(set(labels.tolist())) == list(range(10))


def test_pictures_have_the_range_of_normalised_images() -> None:
    pictures, labels = labelled_pictures(50, 0, held_out=True)
    assert pictures.shape == (50, 3, 32, 32)
    assert pictures.dtype == torch.float32
    assert labels.dtype == torch.int64
    assert -1.0 <= pictures.min() < -0.9
    assert 0.9 < pictures.max() <= 1.0


def test_an_easy_picture_is_the_digit_itself_and_a_hard_one_is_not() -> None:
    images, _ = load_digits(held_out=True)

    def draw(difficulty: float, seed: int) -> torch.Tensor:
        generator = torch.Generator().manual_seed(seed)
        return draw_pictures(images[:8], torch.full((8,), difficulty), generator)

    assert torch.equal(draw(0.0, 1), draw(0.0, 2))
    assert not torch.equal(draw(1.0, 1), draw(1.0, 2))
    assert (draw(1.0, 1) - draw(0.0, 1)).abs().mean() > 0.2


def test_samples_are_separate_inputs_of_batch_one() -> None:
    samples = sample_pictures(40, 0)
    assert all(len(sample) == 1 and sample[0].shape == (1, 3, 32, 32) for sample in samples)
    # no two share memory: writing to one must not change another
    samples[0][0].zero_()
    assert samples[1][0].abs().sum() > 0
    assert samples[0][0].untyped_storage().nbytes() == 3 * 32 * 32 * 4

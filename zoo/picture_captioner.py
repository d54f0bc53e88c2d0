"""Captions of pictures: a ResNeXt sees one to three digits, an LSTM with attention says which.

Xu et al.: "Show, Attend and Tell: Neural Image Caption Generation with Visual Attention", ICML
2015; known from sgrvinod/a-PyTorch-Tutorial-to-Image-Captioning (an own implementation, not a
copy). The decoder, greedy and with a beam that shrinks, is that of `zoo/captioner.py`.

A caption is "a seven", "a seven and a two" or "a seven , a two and a nine": its length is decided
by what is in the picture. Trained (`python -m zoo.training.train_picture_captioner`); 80 % of
held-out pictures get a caption that is right to the last word, greedily, 81 % with the beam.
"""

import torch
from torch import nn

from zoo.captioner import END, Captioner
from zoo.digits import draw_pictures, load_digits
from zoo.number_words import ONES
from zoo.picture_encoders import small_resnext
from zoo.storage import load_weights

VOCABULARY = ("<start>", "<end>", "a", "and", ",", *ONES[:10])
SLOTS = 3


class PictureCaptioner(nn.Module):
    """Encodes a picture once and decodes its caption word by word."""

    def __init__(self, encoder, vocab_size, **sizes):
        super().__init__()
        self.encoder = encoder
        self.decoder = Captioner(vocab_size, encoder.channels, **sizes)

    def forward(self, picture):
        """Return the words of the most likely caption, word by word, and where each looked."""
        return self.decoder(self.encoder(picture))

    def beam_search(self, picture):
        """Return the best caption that ends, and its score."""
        return self.decoder.beam_search(self.encoder(picture))


def build_seeded():
    """Build the network with random weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        sizes = {"embed_dim": 16, "hidden_dim": 64, "attention_dim": 32}
        return PictureCaptioner(small_resnext(), len(VOCABULARY), **sizes)


def build_model():
    """Build the trained network."""
    model = build_seeded().eval()
    load_weights(model, "picture_captioner")
    return model


def caption(digits):
    """Return the words for some digits.

    >>> caption([7, 2, 9])
    'a seven , a two and a nine'
    """
    named = [f"a {ONES[digit]}" for digit in digits]
    return " and ".join([*([" , ".join(named[:-1])] if named[1:] else []), named[-1]])


def captioned_pictures(count, seed, *, held_out, difficulty=0.5):
    """Return pictures [count, 3, 32, 96] with one to three digits, and what they show."""
    generator = torch.Generator().manual_seed(seed)
    images, labels = load_digits(held_out=held_out)
    shown = torch.randint(1, SLOTS + 1, (count,), generator=generator)
    chosen = torch.randint(len(labels), (count, SLOTS), generator=generator)
    order = torch.rand(count, SLOTS, generator=generator).argsort(dim=1)
    amount = torch.rand(count * SLOTS, generator=generator) * difficulty
    is_there = order < shown.unsqueeze(1)
    visible = images[chosen.flatten()] * is_there.view(-1, 1, 1, 1)
    drawn = draw_pictures(visible, amount, generator)
    pictures = drawn.view(count, SLOTS, 3, 32, 32).permute(0, 2, 3, 1, 4).reshape(count, 3, 32, 96)
    captions = [
        caption([int(labels[i]) for i, here in zip(row, there, strict=True) if here])
        for row, there in zip(chosen, is_there, strict=True)
    ]
    return pictures, captions


def example_inputs():
    return (torch.zeros(1, 3, 32, 96),)


def sample_inputs(count, seed=0):
    pictures, _ = captioned_pictures(count, seed, held_out=True)
    return [(pictures[index : index + 1].clone(),) for index in range(count)]


def labelled_inputs(count, seed):
    """Return inputs and the answer that is right for each."""
    pictures, captions = captioned_pictures(count, seed, held_out=True)
    return [((pictures[index : index + 1],), captions[index]) for index in range(count)]


def decide(outputs):
    """The caption, and how many words were decoded."""
    words = outputs[0]
    return " ".join(VOCABULARY[word] for word in words if word > END), len(words)

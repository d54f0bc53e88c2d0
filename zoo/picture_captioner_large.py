"""The captioner at the sizes of its papers: ResNeXt-50 or GoogLeNet, and an LSTM of 512.

Xu et al.: "Show, Attend and Tell: Neural Image Caption Generation with Visual Attention", ICML
2015; known from sgrvinod/a-PyTorch-Tutorial-to-Image-Captioning (an own implementation, not a
copy). The encoders are in `zoo/picture_encoders.py`; the vocabulary has the 2633 words that the
captions of Flickr8k have if words are counted that occur five times.

Weights are seeded. Pictures show digits, 224 pixels high and wide; captions say nothing about
them, but differ from picture to picture, and end at all lengths.
"""

import torch
import torch.nn.functional as F

from zoo.captioner import END
from zoo.digits import sample_pictures
from zoo.picture_captioner import PictureCaptioner
from zoo.picture_encoders import GoogLeNet, resnext50

WORDS = 2633


def _seeded(make_encoder, contrast, end):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        sizes = {"embed_dim": 512, "hidden_dim": 512, "attention_dim": 512, "beam_size": 3}
        model = PictureCaptioner(make_encoder(), WORDS, **sizes).eval()
    decoder = model.decoder
    with torch.no_grad():
        # what is seen decides which words come, and some of them are the end
        decoder.init_h.weight.mul_(20 * contrast)
        decoder.init_c.weight.mul_(contrast)
        decoder.output.weight.mul_(20)
        decoder.output.bias[END] += end
    return model


def build_model():
    """Build the captioner with ResNeXt-50."""
    return _seeded(resnext50, contrast=1, end=10.0)


def build_googlenet():
    """Build the captioner with GoogLeNet, whose features differ less from picture to picture."""
    return _seeded(GoogLeNet, contrast=20, end=8.0)


def example_inputs():
    return (torch.zeros(1, 3, 224, 224),)


def sample_inputs(count, seed=0):
    return [
        (F.interpolate(picture, size=(224, 224), mode="bilinear"),)
        for (picture,) in sample_pictures(count, seed)
    ]


def decide(outputs):
    """The words."""
    return tuple(outputs[0])

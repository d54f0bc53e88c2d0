"""Pooling and windows where the image, or the windows, have sizes that only the run knows"""

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from tests.language.harness import case, noise

IMAGE = noise(1, 2, 5, 6)
SIZES = {"x": {2: Dim("h", max=40), 3: Dim("w", max=40)}}
HOLED = noise(1, 2, 5, 6)
HOLED[0, 0, 2, 3], HOLED[0, 1, 0, 0] = float("nan"), float("-inf")
IMAGES = [(noise(1, 2, h, w),) for h, w in ((5, 6), (1, 1), (8, 3), (7, 12), (0, 3))] + [(HOLED,)]
KERNELS = [(IMAGE, k) for k in (2, 1, 3, 5, 6, 0, -1)] + [(HOLED, 2)]


@case(inputs=IMAGES, dynamic_shapes=SIZES, messages=False, rounds=True)
def so_many_averages(x):
    """Averages of a known number of parts, which overlap"""
    row = F.adaptive_avg_pool1d(x[0, :, 0], 3)
    return F.adaptive_avg_pool2d(x, (2, 3)), F.adaptive_avg_pool2d(x, (None, 2)), row


@case(inputs=IMAGES, dynamic_shapes=SIZES, messages=False, rounds=True)
def so_many_extremes(x):
    """The largest of a known number of parts; NaN is larger than all"""
    return F.adaptive_max_pool2d(x, (3, 2)), F.adaptive_max_pool1d(x[0, :, 0], 2)


@case(
    inputs=[(noise(1, 2, 5, 6) + 1,), (noise(1, 2, 9, 4) - 1,), (noise(1, 2, 1, 3) + 1,)],
    dynamic_shapes=SIZES,
    rounds=True,
)
class Pyramid(nn.Module):
    """Layers that average several numbers of parts, and a decision"""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(nn.AdaptiveAvgPool2d(n) for n in (1, 2, 4))

    def forward(self, x):
        found = torch.cat([part(x).flatten(1) for part in self.parts], 1)
        return found * 2 if found.mean() > 0 else found


@case(inputs=KERNELS, messages=False, rounds=True, slow=True)
def parts_of_run_time(x, k):
    """A number of averages and largest elements that only the run knows"""
    return F.adaptive_avg_pool2d(x, (k, 2)), F.adaptive_max_pool2d(x, k)


@case(inputs=IMAGES, dynamic_shapes=SIZES, messages=False, rounds=True, slow=True)
def whole_images(x):
    """A window as large as the image"""
    averages = F.avg_pool2d(x, kernel_size=x.size()[2:]).flatten(1)
    return averages, F.max_pool2d(x, x.shape[-2:]), F.max_pool1d(x[:, :, 0], x.shape[3])


@case(inputs=KERNELS, messages=False, rounds=True, slow=True)
def kernels_of_run_time(x, k):
    """Averages over windows, with and without what is beyond the image"""
    inner = F.avg_pool2d(x, k, stride=1, padding=k // 2, count_include_pad=False)
    return F.avg_pool2d(x, k), inner, F.avg_pool1d(x[0], k, 2)


@case(inputs=KERNELS, messages=False, rounds=True, slow=True)
def largest_of_run_time(x, k):
    """The largest of windows"""
    return F.max_pool2d(x, k, stride=1, padding=k // 2), F.max_pool2d(x, (1, k), 1, 0, 2)


@case(inputs=KERNELS, messages=False, rounds=True, slow=True)
def windows_as_columns(x, k):
    """F.unfold by a kernel of run time"""
    return F.unfold(x, k, padding=k // 2), F.unfold(x, (k, 2), dilation=2, stride=2)


@case(inputs=[(noise(2, 4, 4, 3) + 1,), (noise(2, 4, 4, 3) - 1,)], rounds=True)
def channels_last(x):
    """The average of an image that lies channels last in memory, or of a sequence or volume"""
    image = x.permute(0, 3, 1, 2)
    if x.mean() > 0:
        return F.adaptive_avg_pool2d(image, 1).flatten(1)
    rows = torch.adaptive_avg_pool1d(input=x[:, 0].transpose(1, 2), output_size=1)
    volume = F.adaptive_avg_pool3d(x.unsqueeze(1).permute(0, 4, 1, 2, 3), (1, 1, 1))
    return rows.view(2, 3) + volume.view(2, 3)


@case(
    inputs=[(noise(2, 4, 4, 3) + 1,), (noise(5, 4, 4, 3) - 1,)],
    dynamic_shapes={"x": {0: Dim("batch", max=40)}},
    rounds=True,
)
def batches_channels_last(x):
    """The same for any number of images"""
    image = x.permute(0, 3, 1, 2)
    return F.adaptive_avg_pool2d(image * 2 if x.mean() > 0 else image, (1, 1)).squeeze()


SHAPES = ((3, 4, 5, 4), (1, 4, 2, 2), (0, 4, 3, 3), (2, 4, 1, 2), (2, 4, 0, 3))
BATCHES = [(noise(*shape),) for shape in SHAPES]
ANY_BATCH = {"x": {0: Dim("n", max=9), 2: Dim("h", max=40), 3: Dim("w", max=40)}}


@case(inputs=BATCHES, dynamic_shapes=ANY_BATCH, messages=False, rounds=True)
class NormalizedGroups(nn.Module):
    """Groups of channels, in batches and images that may be empty"""

    def __init__(self):
        super().__init__()
        self.norm, self.alone = nn.GroupNorm(2, 4), nn.GroupNorm(4, 4, affine=False)

    def forward(self, x):
        return self.norm(x + 1), self.alone(x), F.group_norm(x.sum((2, 3)), 1)


@case(
    inputs=[(x.double(),) for (x,) in BATCHES],
    dynamic_shapes=ANY_BATCH,
    messages=False,
    rounds=True,
    slow=True,
)
def normalized_doubles(x):
    """Groups of channels of doubles, in batches and images that may be empty"""
    return F.group_norm(x + 1, 2)


@case(inputs=BATCHES[:-1], dynamic_shapes=ANY_BATCH, messages=False)
def columns_of_batches(x):
    """F.unfold of batches of which one may be empty"""
    rows = F.unfold(x, (2, 3), dilation=(1, 2), padding=(0, 2), stride=(2, 1))
    return F.unfold(x, 3, padding=1), rows


@case(
    inputs=[(noise(2, h, w),) for h, w in ((5, 4), (2, 2), (1, 3), (3, 1))],
    dynamic_shapes={"x": {1: Dim("h", max=40), 2: Dim("w", max=40)}},
    messages=False,
)
def columns_of_an_image(x):
    """F.unfold of one image"""
    return F.unfold(x, (2, 1), stride=(2, 1))


@case(inputs=[(noise(2, 5, 4),)])
def columns_of_a_known_image(x):
    """F.unfold of one image, of a known size"""
    return F.unfold(x, (2, 3), padding=(0, 1))


UNEVEN = ((5, 6), (1, 1), (2, 3), (8, 3), (7, 12), (4, 4), (0, 3))
ROUNDED_UP = [(noise(1, 2, *size),) for size in UNEVEN] + [(HOLED,)]


@case(inputs=ROUNDED_UP, dynamic_shapes=SIZES, messages=False, rounds=True, slow=True)
class RoundedUp(nn.Module):
    """Layers whose last window may go beyond the image (ceil_mode)"""

    def __init__(self):
        super().__init__()
        self.largest = nn.MaxPool2d(3, stride=2, ceil_mode=True)
        self.average = nn.AvgPool2d(2, ceil_mode=True)

    def forward(self, x):
        return self.largest(x), self.average(x)


@case(inputs=ROUNDED_UP, dynamic_shapes=SIZES, messages=False, rounds=True)
class RoundedUpInBlocks(nn.Module):
    """The same in a block of layers, of which the last leaves one number a channel"""

    def __init__(self):
        super().__init__()
        pool = nn.MaxPool2d(2, ceil_mode=True)
        self.block = nn.Sequential(nn.Conv2d(2, 3, 1), pool, nn.AdaptiveAvgPool2d(1))

    def forward(self, x):
        return self.block(x)


@case(inputs=ROUNDED_UP, dynamic_shapes=SIZES, messages=False, rounds=True, slow=True)
def rounded_up_and_padded(x):
    """ceil_mode beside elements before the image; no window begins beyond it"""
    largest = F.max_pool2d(x, (3, 2), (2, 3), 1, ceil_mode=True)
    return largest, F.avg_pool2d(x, 3, 2, 1, True), F.avg_pool2d(x, 3, (4, 2), 1, True, False)


@case(inputs=ROUNDED_UP, dynamic_shapes=SIZES, messages=False, rounds=True)
def rounded_up_rows(x):
    """ceil_mode over one dimension, also with steps between the elements of a window"""
    row = x[:, :, 0] if x.shape[2] > 0 else x.sum(2)
    return F.max_pool1d(row, 2, 3, 0, 2, True), F.avg_pool1d(row, 2, 3, ceil_mode=True)


@case(inputs=KERNELS, messages=False, rounds=True, slow=True)
def rounded_up_kernels(x, k):
    """ceil_mode of windows whose size only the run knows"""
    inner = F.avg_pool2d(x, k, padding=k // 2, ceil_mode=True)
    return inner, F.max_pool2d(x, k, ceil_mode=True)


BOX = torch.tensor([[1.0, 0.0, 3.0, 4.0]])
BOXES = [BOX, BOX * 2, BOX * torch.tensor([1.0, 1.0, 0.5, 9.0]), BOX * torch.tensor([1.0, 9, 9, 1])]
PLACED = [(box, *size) for box in BOXES for size in ((9, 7), (4, 2))]


@case(inputs=PLACED, slow=True, messages=False)
def between_places_found(boxes, height, width):
    """Ranges from one place that is found to another, each as long as their difference"""
    left, top = boxes.floor()[0, :2].to(torch.int32)
    right = boxes[:, 2].max().ceil().clamp(max=width).to(torch.int32)
    below = boxes[:, 3].max().ceil().clamp(max=height).to(torch.int32)
    rows = torch.arange(top, below, dtype=torch.float32) - boxes[:, 1:2]
    columns = torch.arange(left, right, dtype=torch.float32) - boxes[:, 0:1]
    across = columns[:, None, :].expand(1, rows.size(1), columns.size(1))
    down = rows[:, :, None].expand(1, rows.size(1), columns.size(1))
    return torch.stack([across, down], dim=3)


@case(inputs=[(noise(9, 2), *ends) for ends in ((1, 4), (0, 9), (3, 3), (5, 2), (2, 30), (4, -1))])
def cut_and_asked(x, first, last):
    """A part from one number to another, looked at by a test and used after it"""
    part = x[first:last]
    if part.sum() > 0:
        part = part * 2
    return part - 1, part.sum(0)


@case(inputs=[(noise(9), *ends) for ends in ((1, 4, 6), (0, 9, 9), (3, 3, 1), (2, 3, 9), (0, 1, 2))])
def two_parts(x, first, middle, last):
    """Two neighbouring parts: the second's length is one difference, that of both another"""
    left, right = x[first:middle].clone(), x[middle:last].clone()
    while left.sum() > 0.5:
        left = left - 0.5
    return torch.cat([left, right * 2]), right.sum() - left.sum()

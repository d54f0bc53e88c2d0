"""A speech decoder with a stop token: attends to text and writes frames until it says stop.

Shen et al.: "Natural TTS Synthesis by Conditioning WaveNet on Mel Spectrogram Predictions"
(Tacotron 2), ICASSP 2018; upstream repository: NVIDIA/tacotron2 (an own implementation, not a
copy).

Like upstream, the decoder keeps its states as attributes that each call sets anew. Weights are
seeded; utterances of all lengths occur, the longest allowed one included.
"""

import torch
from torch import nn

MAX_FRAMES = 20


class SpeechDecoder(nn.Module):
    """Turns encoded text into frames."""

    def __init__(self, text_dim=12, frame_dim=6, hidden=16, threshold=0.5):
        super().__init__()
        self.frame_dim = frame_dim
        self.hidden = hidden
        self.threshold = threshold
        self.prenet = nn.Linear(frame_dim, 8)
        self.cell = nn.LSTMCell(8 + text_dim, hidden)
        self.query = nn.Linear(hidden, text_dim)
        self.location = nn.Conv1d(1, 1, 3, padding=1)
        self.project = nn.Linear(hidden + text_dim, frame_dim)
        self.stop = nn.Linear(hidden + text_dim, 1)

    def initialize_states(self, memory):
        self.h = memory.new_zeros(memory.size(0), self.hidden)
        self.c = memory.new_zeros(memory.size(0), self.hidden)
        self.weights_cum = memory.new_zeros(memory.size(0), memory.size(1))
        self.context = memory.new_zeros(memory.size(0), memory.size(2))
        self.memory = memory

    def decode(self, frame):
        cell_input = torch.cat((torch.relu(self.prenet(frame)), self.context), -1)
        self.h, self.c = self.cell(cell_input, (self.h, self.c))
        energies = (self.memory @ self.query(self.h).unsqueeze(2)).squeeze(2)
        energies = energies + self.location(self.weights_cum.unsqueeze(1)).squeeze(1)
        weights = energies.softmax(dim=1)
        self.weights_cum += weights
        self.context = (weights.unsqueeze(1) @ self.memory).squeeze(1)
        both = torch.cat((self.h, self.context), dim=1)
        return self.project(both), self.stop(both), weights

    def forward(self, memory):
        """Return frames [batch, frame_dim, frames], stop logits and alignments."""
        frame = memory.new_zeros(memory.size(0), self.frame_dim)
        self.initialize_states(memory)
        frames, stops, alignments = [], [], []
        while True:
            frame, stop, weights = self.decode(frame)
            frames += [frame]
            stops += [stop.squeeze(1)]
            alignments += [weights]
            if torch.sigmoid(stop).item() > self.threshold or len(frames) == MAX_FRAMES:
                break
        return torch.stack(frames, dim=2), torch.stack(stops, dim=1), torch.stack(alignments, dim=1)


def build_model():
    torch.manual_seed(0)
    model = SpeechDecoder().eval()
    with torch.no_grad():
        model.stop.weight.mul_(4)
        model.stop.bias.sub_(0.5)
        model.project.weight.mul_(3)
    return model


def example_inputs():
    return (torch.zeros(1, 5, 12),)


def sample_inputs(count, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(1, 5, 12, generator=generator),) for _ in range(count)]


def decide(outputs):
    """How many frames were spoken."""
    return outputs[0].shape[2]

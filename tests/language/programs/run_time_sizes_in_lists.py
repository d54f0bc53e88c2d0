"""Tensors of sizes known only at run time in containers of the host."""

import torch

from tests.language.harness import case

ROWS = [(torch.arange(6.0), 3), (torch.arange(6.0), 0), (-torch.ones(6), 5)]


@case(inputs=ROWS, may_refuse=True)
def prefixes_in_a_list(x, n):
    """Tensors that grow are kept in a list; each keeps its own size."""
    kept = []
    for i in range(n):
        kept.append(x[:i])
    sizes = [part.shape[0] for part in kept]
    total = [part.sum().item() for part in kept]
    return sizes, total, len(kept)


@case(inputs=ROWS, may_refuse=True)
def growing_tensor_kept(x, n):
    """A tensor that grows in a loop is kept each time; the first one stays short."""
    grown = x[:1]
    kept = [grown]
    for _ in range(n):
        grown = torch.cat([grown, grown[-1:] * 2 + 1])
        kept.append(grown)
    return kept[0], kept[-1], [part.shape[0] for part in kept]

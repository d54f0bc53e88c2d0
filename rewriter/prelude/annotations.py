"""Notes for graphs that PyTorch's tracers make."""

import contextlib


@contextlib.contextmanager
def annotate(annotation_dict):
    """``torch.fx.traceback.annotate``."""
    {}.update(annotation_dict)
    yield

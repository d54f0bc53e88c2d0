"""Whether all places are there that are looked up in a tensor."""


def require_places(index, tensor, dimension, from_the_end, error, text, /):
    """Raise the error of a lookup where a place is not in the dimension."""
    if index.numel() > 0:
        size = tensor.shape[dimension]
        if index.min() < (-size if from_the_end else 0) or index.max() >= size:
            raise error(text)

"""Whether all places are there that are looked up in a tensor."""


def require_places(index, tensor, dimension, from_the_end, error, of_none, text, /):
    """Raise the error of a lookup where a place is not in the dimension; it may have none."""
    if index.numel() > 0:
        size = tensor.shape[dimension]
        if index.min() < (-size if from_the_end else 0) or index.max() >= size:
            raise error(text) if size > 0 else of_none(text)

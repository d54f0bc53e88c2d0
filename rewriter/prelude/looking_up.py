"""Whether all places are there that are looked up in a tensor."""


def require_places(index, tensor, dimension, from_the_end, error, of_none, text, /):
    """Raise the error of a lookup where a place is not in the dimension; it may have none."""
    if index.numel() > 0:
        size = tensor.shape[dimension]
        if index.min() < (-size if from_the_end else 0) or index.max() >= size:
            raise error(text) if size > 0 else of_none(text)


def require_named_places(index, tensor, dimension, /):
    """Raise the error of ``tensor[..., index]``, in its words, where a place is not there."""
    if index.numel() > 0:
        size = tensor.shape[dimension]
        if index.min() < -size or index.max() >= size:
            for place in index.flatten().tolist():
                if place < -size or place >= size:
                    text = f"index {place} is out of bounds for dimension 0 with size {size}"
                    raise IndexError(text)  # 0: the first that is indexed by a tensor

"""Whether a matrix has a factor, or an inverse: asked before, inside of a ``try``.

LAPACK tells where it fails, which a test of the host can look at.
"""

import torch


def require_factor(input, *, upper=False):
    """Raise the error of ``torch.linalg.cholesky`` where there is no factor."""
    places = torch.linalg.cholesky_ex(input, upper=upper).info
    if places.any():
        number = places[places != 0][0].item()
        raise torch.linalg.LinAlgError(
            f"linalg.cholesky: {_element(places)}The factorization could not be completed because "
            f"the input is not positive-definite (the leading minor of order {number} is not "
            "positive-definite)."
        )


def require_inverse(A):
    """Raise the error of ``torch.linalg.inv`` where there is no inverse."""
    places = torch.linalg.inv_ex(A).info
    if places.any():
        number = places[places != 0][0].item()
        raise torch.linalg.LinAlgError(
            f"linalg.inv: {_element(places)}The diagonal element {number} is zero, the inversion "
            "could not be completed because the input matrix is singular."
        )


def require_solution(A, B):
    """Raise the error of ``torch.linalg.solve`` where there is no solution."""
    places = torch.linalg.solve_ex(A, B).info
    if places.any():
        raise torch.linalg.LinAlgError(
            f"torch.linalg.solve: {_element(places)}The solver failed because the input matrix is "
            "singular."
        )


def _element(places):
    """Return which matrix of several it is."""
    if places.dim() == 0:
        return ""
    return f"(Batch element {places.flatten().ne(0).int().argmax().item()}): "

"""Inverses, solutions, determinants and factors of small matrices."""

import torch

from tests.language.harness import case, noise

A = noise(2, 3, 3)
B = noise(2, 3, 4, seed=1)
ONES = torch.ones(2, 3, 3)


@case(inputs=[(A, B), (-A, B), (ONES, B)], messages=False, slow=True)
def projected(matrices, points):
    """Points are brought back by the inverse of a camera; a singular one is an error."""
    back = torch.inverse(matrices) @ points
    if back.sum() > 0:
        back = back - matrices.inverse().sum()
    return back


@case(inputs=[(A, B), (-A, B), (A * ONES, B * 2), (ONES, B)], messages=False, slow=True)
def solved(matrices, right):
    """Columns, and vectors."""
    x = torch.linalg.solve(matrices, right)
    y = torch.linalg.solve(matrices[0], right[0, :, 0])
    return (x, y) if torch.linalg.det(matrices[0]) > 0 else (y * 2, matrices.det())


@case(inputs=[(A,), (-A * 2,), (A * 0,)], messages=False, slow=True)
def factored(x):
    """The Cholesky factor of a covariance; what is not positive definite is an error."""
    covariance = x @ x.mT + 0.1 * torch.eye(3) * (x.abs().sum() > 0)
    factor = torch.linalg.cholesky(covariance)
    return factor if x.sum() > 0 else factor * 2


@case(inputs=[(A, B), (-A * 2, B), (A * 0, B)], messages=False, slow=True)
def factored_above(x, right):
    """The upper triangle; where a factor, an inverse and a solution fail, as a number."""
    covariance = x @ x.mT + 0.1 * torch.eye(3) * (x.abs().sum() > 0)
    found, places = torch.linalg.inv_ex(x)
    _, more = torch.linalg.solve_ex(x, right)
    if found.sum() > 0:
        return torch.linalg.cholesky(covariance, upper=True), places
    return torch.linalg.cholesky_ex(covariance - torch.eye(3) * (x[0, 0, 0] < 0)).info, places, more


@case(inputs=[(A, B), (-A, B), (A, B * 0), (A * 0, B)])
def substituted(x, right):
    """Triangular systems from either side, turned, with ones on the diagonal; zeros divide."""
    lower = torch.linalg.solve_triangular(x, right, upper=False)
    if lower[0, 0, 0] > 0:
        return lower, torch.linalg.solve_triangular(x, right.mT, upper=True, left=False)
    ones = torch.linalg.solve_triangular(x[0], right, upper=True, unitriangular=True)
    return ones, torch.cholesky_solve(right, torch.eye(3) + x[1].tril())


@case(inputs=[(A,), (-A * 2,), (A * 0,), (A[:, [1, 0, 2]],)], slow=True)
def logarithms_of_determinants(x):
    """Signs and logarithms; that of a negative one is NaN."""
    sign, log = torch.linalg.slogdet(x)
    return torch.logdet(x) if sign[0] > 0 else (sign, log)


@case(inputs=[(A[0], B[0]), (-A[1], B[1])], slow=True)
def density_of_a_gaussian(x, points):
    """A factor is divided by, in the source of torch.distributions."""
    factor = x.tril(-1) + torch.diag(x.diagonal().abs() + 0.5)
    spread = torch.distributions.MultivariateNormal(points[:, 0], scale_tril=factor)
    density = spread.log_prob(points.mT)
    return density if density.sum() > -25 else density * 2


@case(inputs=[(noise(9, 9),), (-noise(9, 9),)], refused_on_host="DYCL411", slow=True)
def many_rows(x):
    """Larger ones are left to backends that have an operator for them."""
    y = torch.inverse(x)  # <- refused
    return y if y.sum() > 0 else -y


@case(inputs=[(A,), (-A,), (A * 0,)], messages=False)
def orthogonal(x):
    """Signs are LAPACK's; a column of zeros is left as it is."""
    q, r = torch.linalg.qr(x)
    return q if r[0, 0, 0] > 0 else (q @ r, torch.linalg.qr(x.mT, mode="r").R)


@case(inputs=[(A[0],), (-A[0],), (A[1] * 5,)])
def exponentials(x):
    """A rotation by an exponential, of any size, and one that is undone by powers."""
    turn = torch.matrix_exp(x - x.mT)
    return turn @ x if turn[0, 0] > 0 else torch.linalg.matrix_power(turn, -2)


@case(inputs=[(A,), (A * 0.1,), (A * 0,), (ONES,)], slow=True)
def spectra(x):
    """Eigenvalues of covariances, ranks, and norms that are made of singular values."""
    values = torch.linalg.eigvalsh(x @ x.mT)
    if values[0, -1] > 1:
        return values, torch.linalg.matrix_norm(x, 2)
    return torch.linalg.svdvals(x[0]), torch.linalg.matrix_rank(x), torch.linalg.norm(x[1], "nuc")


@case(inputs=[(B[0], B[1]), (-B[0], B[1]), (B[0] * 0, B[1])], slow=True)
def least_squares(x, right):
    """A pseudo-inverse of more columns than rows, and of more rows than columns."""
    found = torch.linalg.pinv(x) @ right
    return found if found.sum() > 0 else torch.linalg.pinv(x.mT, rtol=0.1) @ right.mT


@case(inputs=[(A,), (A * 0.1,)], refused_on_host="DYCL411")
def main_axes(x):
    """Eigenvectors are not taken: their signs are LAPACK's own."""
    values, vectors = torch.linalg.eigh(x @ x.mT)  # <- refused
    return vectors if values[0, -1] > 1 else values


@case(inputs=[(A,), (-A * 0.1,), (A * 0,)])
def lengths_of_rows(x):
    """Norms of vectors, for which dim is a number, are none of matrices."""
    lengths = torch.linalg.norm(x, 2, dim=-1, keepdim=True)
    if lengths.sum() > 3:
        return x / lengths
    return torch.linalg.norm(x[0], ord=2, dim=[0]), torch.linalg.norm(x[0], 2, [0, 1][1])


@case(inputs=[(B[0], B[1, :, 0]), (B[0, :2], B[1, :2, 0])], dynamic_shapes={"x": {0: "rows"}, "y": {0: "rows"}}, refused="DYCL031")
def fitted(x, y):
    """There are residuals only where the columns are independent: refused at any sizes."""
    return torch.linalg.lstsq(x, y[:, None]).solution  # <- refused


@case(inputs=[(B[0],), (B[0, :2],)], dynamic_shapes={"x": {0: "steps"}}, refused="DYCL031")
def aligned(x):
    """That lengths of zero are an error says nothing about the lengths that are given."""
    lengths = torch.tensor([x.shape[0]])
    losses = x[:, None].log_softmax(-1)
    return torch.ctc_loss(losses, torch.tensor([[1]]), lengths, torch.tensor([1]))  # <- refused

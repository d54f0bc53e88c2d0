"""What cannot be in one ONNX file."""

from tests.refusals.harness import X, refused


@refused("DYCL430", X, 3, as_file=True)
def needs_a_host(x, n):
    """Arithmetic without bounds, a list of run-time length, an exception, printing."""
    found = []
    for i in range(n):
        found.append(x[0, 0].item() * i)
    if x.sum() < -100:
        raise ValueError("too small")
    if x.sum() > 100:
        print("large")
    return x + n * n, found

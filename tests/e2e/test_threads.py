"""Eight threads on one package, each on inputs of all paths: the results of one thread alone."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.e2e.compiled_zoo import ENTRIES, CompiledZoo

THREADS, CALLS, INPUTS = 8, 1000, 40

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["SkipNet-38", "Shallow-deep ResNet-56"])
def test_threads_get_the_bits_of_a_single_thread(name: str, zoo: CompiledZoo) -> None:
    _, compiled = zoo.model(name)
    forward = compiled.module.forward
    inputs = [
        tuple(tensor.numpy() for tensor in given)
        for given in ENTRIES[name].module.sample_inputs(INPUTS, 0)
    ]
    alone = [_bits(forward(*given)) for given in inputs]
    assert len({tuple(bits) for bits in alone}) > 1

    def calls(thread: int) -> list[tuple[int, list[bytes]]]:
        order = np.random.default_rng(thread).integers(INPUTS, size=CALLS)
        # kept until all threads are done: a result must outlive the calls that follow
        results = [(int(index), forward(*inputs[index])) for index in order]
        return [(index, _bits(result)) for index, result in results]

    with ThreadPoolExecutor(THREADS) as pool:
        for found in pool.map(calls, range(THREADS)):
            assert len(found) == CALLS
            for index, bits in found:
                assert bits == alone[index]


def _bits(value: object) -> list[bytes]:
    """Return the arrays in a result as bytes, in order."""
    if isinstance(value, np.ndarray | np.generic):
        return [np.ascontiguousarray(value).tobytes()]
    if isinstance(value, list | tuple):
        return [bits for part in value for bits in _bits(part)]
    return [repr(value).encode()]

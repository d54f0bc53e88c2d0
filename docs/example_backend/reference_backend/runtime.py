"""Runs the sub-DNNs of this package with ONNX's reference implementation."""

import numpy as np

try:
    import onnx
    from onnx.reference import ReferenceEvaluator
except ImportError as error:
    raise ImportError("this package runs its sub-DNNs with onnx: pip install onnx") from error


def load_subdnns(directory, settings, entries):
    """Return a callable per sub-DNN, by its id."""
    return {entry["id"]: _callable(str(directory / entry["file"])) for entry in entries}


def _callable(file):
    session = ReferenceEvaluator(onnx.load(file))

    def call(*arrays):
        given = {f"x{i}": array for i, array in enumerate(arrays)}
        with np.errstate(all="ignore"):  # infinities and NaN are no errors
            results = session.run(None, {name: given[name] for name in session.input_names})
        own = [np.array(result) for result in results]  # they may share memory with the input
        return own[0] if len(own) == 1 else own

    return call

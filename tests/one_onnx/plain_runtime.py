"""Runs a compiled file as a user without dycl would: with numpy and ONNX Runtime, nothing else."""

import collections
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime


class OneFile:
    """``model.onnx`` as a callable with the original's signature."""

    def __init__(self, directory: Path, original: Callable[..., Any]) -> None:
        """Load the file; ``original`` says only how its parameters are called."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        file = str(directory / "model.onnx")
        self.session = onnxruntime.InferenceSession(
            file, options, providers=["CPUExecutionProvider"]
        )
        meta = self.session.get_modelmeta().custom_metadata_map
        described = json.loads(meta["dycl.result"])
        self._variants, self._chosen = described["variants"], described["chosen"]
        # a decorator's wrapper may be seen through, or be what is compiled
        self._signatures = [inspect.signature(original, follow_wrapped=f) for f in (True, False)]

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Return what the original returns, arrays in the place of tensors."""
        given: dict[str, Any] = {}
        for signature in self._signatures:
            given |= signature.bind(*arguments, **keywords).arguments
        # an input's name is the expression of its value: x, pair[0], batch['mask']
        names = [value.name for value in self.session.get_inputs()]
        feeds = {name: np.asarray(eval(name, {}, given)) for name in names}
        names = [value.name for value in self.session.get_outputs()]
        outputs = dict(zip(names, self.session.run(None, feeds), strict=True))
        number = 0 if self._chosen is None else int(outputs[self._chosen])
        return self._result(self._variants[number], outputs)

    def _result(self, form: dict[str, Any], outputs: dict[str, Any]) -> Any:
        match form:
            case {"output": place}:
                return outputs[place]
            case {"number": place}:
                return outputs[place].item()
            case {"scalar": place}:
                return outputs[place][()]
            case {"constant": constant}:
                return constant
            case {"tuple": parts, "name": name, "fields": fields}:
                made = collections.namedtuple(name, fields)  # type: ignore[misc]
                return made(*(self._result(part, outputs) for part in parts))
            case {"tuple": parts}:
                return tuple(self._result(part, outputs) for part in parts)
            case {"list": parts}:
                return [self._result(part, outputs) for part in parts]
            case {"dict": pairs}:
                return {key: self._result(part, outputs) for key, part in pairs}
        raise ValueError(form)

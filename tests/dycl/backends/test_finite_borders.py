"""Images between sub-DNNs that are known to be finite, as those that made them have looked."""

from pathlib import Path

import numpy as np

import dycl
from dycl.backends.onnxruntime import agreeing, runtime
from tests.dycl.backends.block_models import Pooling, images
from tests.dycl.backends.test_block_layout import fast_entries, needs_blocks


@needs_blocks
def test_what_was_looked_at_where_it_was_made_is_not_looked_at_again(tmp_path: Path) -> None:
    """An image that comes from elsewhere is."""
    host = dycl.compile(Pooling().eval(), (images()[0],), output=tmp_path / "model_dycl")
    fast = {name: each for name, each in fast_entries(host).items() if each["finite"]}
    assert fast and all(each["sums"] == 0 for each in fast.values() if not each["filters"])
    entries = host.manifest["subdnns"]
    settings = {"device": "cpu", "threads": 1}
    loaded = runtime.load_subdnns(host.path, settings, entries)
    without = [
        {**entry, "runtime": {k: v for k, v in entry["runtime"].items() if k != "fast"}}
        for entry in entries
    ]
    plain = runtime.load_subdnns(host.path, settings, without)
    generator = np.random.default_rng(0)
    for name in fast:
        (port,) = next(entry["inputs"] for entry in entries if entry["id"] == name)
        for special in (0.5, np.nan, np.inf):
            image = generator.random(port["shape"], np.float32)
            image[0, 3, 1, 1] = special
            blocks = agreeing.in_blocks(image, fast[name]["block"])
            found, expected = loaded[name](blocks), plain[name](image)
            if isinstance(expected, np.ndarray):
                found, expected = [found], [expected]
            np.testing.assert_allclose(found[-1], expected[-1], rtol=1e-3, atol=1e-4)

"""Run a compiled SkipNet on digits where PyTorch cannot be imported: `make demo`.

python zoo/demonstration.py build/demo/skipnet_dycl
"""

import importlib
import sys
from pathlib import Path

import numpy as np

BLOCKED = ("torch", "libcst", "onnx", "onnxscript", "dycl")
SHOWN = 8


class Blocker:
    """Makes importing the compiler's own dependencies fail, as on a machine without them."""

    def find_spec(self, name, path=None, target=None):
        """Refuse the blocked packages; leave the rest to others."""
        if name.partition(".")[0] in BLOCKED:
            raise ImportError(f"{name} is blocked in this demonstration")


def load_pictures():
    """Return digits as float32 [n, 1, 3, 32, 32] from -1 to 1, and what they show."""
    from sklearn.datasets import load_digits

    small, labels = load_digits(return_X_y=True)
    # every second one with noise over it, which takes the network more blocks to see through
    images = np.repeat(np.repeat(small.reshape(-1, 8, 8) / 16, 4, axis=1), 4, axis=2)
    noise = np.random.default_rng(0).normal(0, 0.3, images.shape)
    images[1::2] += noise[1::2]
    pictures = np.stack([images.clip(0, 1)] * 3, axis=1)[:, None]
    return ((pictures - 0.5) / 0.5).astype(np.float32), labels


def first_lines(file: Path) -> str:
    """Return the beginning of the host's `forward`."""
    lines = file.read_text(encoding="utf-8").splitlines()
    start = lines.index("@_package.entry")
    return "\n".join(f"    {line}" for line in [*lines[start : start + SHOWN], "    ..."])


def main(directory: Path) -> int:
    """Import the host package, run it, and print what it sees and which blocks it runs."""
    sys.meta_path.insert(0, Blocker())
    sys.path.insert(0, str(directory.resolve().parent))
    host = importlib.import_module(directory.name)

    print(f"{directory}/__init__.py, the host program, begins:")
    print(first_lines(directory / "__init__.py"))
    pictures, labels = load_pictures()
    print("\nWithout PyTorch: the digit, what the host sees, which blocks it runs (#):")
    for picture, label in zip(pictures[-SHOWN:], labels[-SHOWN:], strict=True):
        logits, masks, _ = host.forward(picture)
        blocks = "".join("#" if mask > 0 else "." for mask in masks)
        print(f"  {label}  {int(logits.argmax())}  {blocks}")
    assert not any(name in sys.modules for name in BLOCKED)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

"""Configurations of omegaconf, which note in caches what was read"""

from omegaconf import OmegaConf
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
TOLD = {"width": 3, "gate": {"kind": "hard", "threshold": 0.1}, "none": None}


class Configured(nn.Module):
    def __init__(self):
        super().__init__()
        self.cfg = OmegaConf.create(TOLD)
        self.layer = nn.Linear(3, 3)


@case(inputs=BOTH)
class Read(Configured):
    """By attributes, by keys, with defaults, all at once."""

    def forward(self, x):
        cfg = self.cfg
        if x.mean() > cfg["gate"]["threshold"]:
            x = self.layer(x) * cfg.get("scale", cfg.width)
        rest = cfg.get("rest", [])
        rest.append(cfg.get("none", 1))
        whole = OmegaConf.to_container(cfg.gate, resolve=True)
        whole["kind"] = "soft"
        asked = len(cfg), "width" in cfg, hasattr(cfg, "depth"), cfg.gate.kind == "hard"
        return x, rest, dict(cfg.gate), whole, asked


@case(inputs=BOTH, refused="DYCL034")
class Written(Configured):
    """One that outlives the call is changed."""

    def forward(self, x):
        self.cfg["width"] = 4  # <- refused
        return x * self.cfg.width

"""A node folds what its children are: each of its three sub-DNNs gets one for batches."""

from dataclasses import dataclass, replace

from hcfg.graph import Hcfg
from tests.hcfg.golden.merge_along_paths.last_child import program as folding

arguments = folding.arguments


@dataclass
class Program:
    def graph(self) -> Hcfg:
        return replace(folding.draft().graph(), batched=("encode",))


def draft() -> Program:
    return Program()

"""``import`` inside functions: what Python finds, and what it raises"""

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def parts_of_packages(x):
    """Modules of packages that perhaps nobody has imported, under other names"""
    import wsgiref.headers as headers
    import xml.sax
    from xml import dom

    if x.sum() > 0:
        return x * len(dom.__name__), xml.sax.__name__
    return x - len(headers.__name__)


@case(inputs=BOTH)
def no_such_module(x):
    """A module that there is not is another error than a name that a module has not"""
    found = []
    try:
        from nowhere_at_all import thing
    except ModuleNotFoundError as error:
        found.append(str(error))
    try:
        from math import thing  # noqa: F401
    except ModuleNotFoundError:
        found.append("no module")  # never
    except ImportError as error:
        found.append(str(error)[:36])
    return (x if x.sum() > 0 else -x), found


@case(inputs=BOTH)
def as_far_as_it_comes(x):
    """What was found before the name that is missing is bound"""
    try:
        from math import e, nothing  # noqa: F401
    except ImportError:
        found = 1
    try:
        import math, nowhere_at_all  # noqa: E401, F401, I001  # fmt: skip
    except ImportError as error:
        return x * math.pi if x.sum() > 0 else x * e, found, str(error)


@case(inputs=BOTH)
class FromItsOwnPackage(nn.Module):
    """A method imports from the package of its file, relatively"""

    def forward(self, x):
        from .. import compare
        from ..harness import POSITIVE as ones

        return x * ones if x.sum() > 0 else torch.relu(x), compare.__name__

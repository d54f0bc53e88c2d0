"""Options that only one backend has, given by name as text."""

from collections.abc import Collection

from dycl.backends.interface import BackendOptions
from dycl.errors import UserError


def require_known(options: BackendOptions, backend: str, known: Collection[str] = ()) -> None:
    """Raise UserError where an option of its own is none that ``backend`` has."""
    for name in options.extra:
        if name not in known:
            has = f"its options are: {', '.join(sorted(known))}" if known else "it has none"
            raise UserError(f"backend {backend} has no option {name!r}", help=has)

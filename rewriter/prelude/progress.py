"""Progress bars of ``tqdm``: what they give, without what they show.

A bar tells how fast it goes, so no two runs show the same; a compiled program shows nothing. What
a bar is asked that depends on time, such as how far it has come while it is walked over, is
refused (``depends_on_time``).
"""


def depends_on_time(name):
    """Refuse to tell what a progress bar counts by itself."""


class ProgressBar:
    """What stands for ``tqdm.tqdm``."""

    def __init__(
        self, iterable=None, desc=None, total=None, leave=True, file=None, ncols=None,
        mininterval=0.1, maxinterval=10.0, miniters=None, ascii=None, disable=False, unit="it",
        unit_scale=False, dynamic_ncols=False, smoothing=0.3, bar_format=None, initial=0,
        position=None, postfix=None, unit_divisor=1000, write_bytes=False, lock_args=None,
        nrows=None, colour=None, delay=0.0, gui=False, display=True,
    ):  # fmt: skip
        self.iterable = iterable
        self.given_total = total
        self.desc = desc or ""
        self.leave = leave
        self.is_disabled = disable
        self.counted = initial

    @property
    def n(self):
        """Tell how far it is, which it counts from time to time where it is walked over.

        One with ``disable=None`` counts where there is a terminal.
        """
        if self.iterable is not None or self.is_disabled is None:
            return depends_on_time("n")
        return self.counted

    @property
    def total(self):
        """Tell how far it goes."""
        if self.given_total is None and hasattr(self.iterable, "__len__"):
            return len(self.iterable)
        return self.given_total

    @property
    def disable(self):
        """Tell whether it shows nothing, which None leaves to the terminal."""
        return depends_on_time("disable") if self.is_disabled is None else self.is_disabled

    def __iter__(self):
        return iter(self.iterable)

    def __len__(self):
        return len(self.iterable) if hasattr(self.iterable, "__len__") else self.given_total

    def __bool__(self):
        if self.given_total is not None:
            return self.given_total > 0
        if self.iterable is None:
            raise TypeError("bool() undefined when iterable == total == None")
        return bool(self.iterable)

    def __contains__(self, item):
        return item in self.iterable

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        return None

    def update(self, n=1):
        """Count on."""
        if not (self.is_disabled is None or self.is_disabled):
            self.counted += n

    def reset(self, total=None):
        """Begin again."""
        self.counted = 0
        if total is not None:
            self.given_total = total

    def set_description(self, desc=None, refresh=True):
        """Show what it is about."""
        self.desc = desc + ": " if desc else ""

    def set_description_str(self, desc=None, refresh=True):
        """Show what it is about."""
        self.desc = desc or ""

    def set_postfix(self, ordered_dict=None, refresh=True, **kwargs):
        """Show more."""

    def set_postfix_str(self, s="", refresh=True):
        """Show more."""

    def close(self):
        """End it."""

    def clear(self, nolock=False):
        """Show nothing."""

    def refresh(self, nolock=False, lock_args=None):
        """Show it anew."""

    def unpause(self):
        """Go on."""

    def display(self, msg=None, pos=None):
        """Show it."""

    def write(self, s, file=None, end="\n", nolock=False):
        """Print a line."""
        write(s, file, end, nolock)


def trange(*args, **kwargs):
    """Return a progress bar over a range."""
    return ProgressBar(range(*args), **kwargs)


def write(s, file=None, end="\n", nolock=False):
    """Print a line between progress bars."""
    print(s, file=file, end=end)

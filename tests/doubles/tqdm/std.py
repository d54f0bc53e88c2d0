"""Progress bars that show nothing, where ``tqdm`` is not installed: for programs of the corpus."""

# mypy: ignore-errors


class tqdm:
    """Walks over an iterable, counts what it is told."""

    def __init__(self, iterable=None, desc=None, total=None, disable=False, initial=0, **_):
        if total is None and hasattr(iterable, "__len__"):
            total = len(iterable)
        self.iterable, self.desc, self.total, self.disable = iterable, desc, total, disable
        self.n = initial

    def __iter__(self):
        yield from self.iterable

    def __len__(self):
        return self.total if self.iterable is None else len(self.iterable)

    def __bool__(self):
        return self.total > 0

    def __contains__(self, item):
        return item in self.iterable

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def update(self, n=1):
        if not self.disable:
            self.n += n

    def reset(self, total=None):
        self.n = 0
        self.total = self.total if total is None else total

    def set_description(self, desc=None, refresh=True):
        self.desc = desc + ": " if desc else ""

    def set_postfix(self, ordered_dict=None, refresh=True, **kwargs):
        pass

    def close(self):
        pass

    @classmethod
    def write(cls, s, file=None, end="\n", nolock=False):
        print(s, file=file, end=end)


def trange(*args, **kwargs):
    """Return a bar over a range."""
    return tqdm(range(*args), **kwargs)

"""Configurations: dicts, whose values are dicts, lists and plain objects."""

from collections.abc import MutableMapping


class DictConfig(MutableMapping):
    """A dict that is read by attributes, too."""

    def __init__(self, content):
        self.__dict__["_flags_cache"] = None
        made = {k: DictConfig(v) if isinstance(v, dict) else v for k, v in content.items()}
        self.__dict__["_content"] = made

    def _get_root(self):
        return self

    def _flag(self):
        if self.__dict__["_flags_cache"] is None:
            self.__dict__["_flags_cache"] = {}
        self.__dict__["_flags_cache"]["struct"] = True

    def __getitem__(self, key):
        self._flag()
        return self.__dict__["_content"][key]

    def __getattr__(self, name):
        if name not in self.__dict__["_content"]:
            raise AttributeError(name)
        return self[name]

    def get(self, key, default_value=None):
        """Return what a key stands for, or what is given instead."""
        return self[key] if key in self.__dict__["_content"] else default_value

    def __setitem__(self, key, value):
        self.__dict__["_content"][key] = value

    def __delitem__(self, key):
        del self.__dict__["_content"][key]

    def __iter__(self):
        return iter(self.__dict__["_content"])

    def __len__(self):
        return len(self.__dict__["_content"])


class OmegaConf:
    """What makes and looks into configurations."""

    @staticmethod
    def create(content):
        """Return a configuration."""
        return DictConfig(content)

    @staticmethod
    def to_container(cfg, *, resolve=False):
        """Return dicts that hold what a configuration holds."""
        content = cfg.__dict__["_content"].items()
        return {k: dict(v) if isinstance(v, DictConfig) else v for k, v in content}

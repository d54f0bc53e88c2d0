"""The cache: what was put in comes out, or nothing does."""

import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from dycl import cache as caching
from dycl.cache import OWN_CODE, Cache, cache_key, code_digest, default_directory
from hcfg import checked_content
from rewriter.prelude import numbers

KEY = cache_key({"structure": "abc"})


def entry(directory: Path) -> Path:
    (path,) = directory.glob("*/*.entry")
    return path


def test_entry_comes_back(tmp_path: Path) -> None:
    assert Cache(tmp_path).get(KEY) is None
    Cache(tmp_path).put(KEY, b"artifact")
    cache = Cache(tmp_path)
    assert cache.get(KEY) == b"artifact"
    assert cache.get(cache_key({"structure": "abd"})) is None
    assert cache.has(KEY) and not cache.has(cache_key({"structure": "abd"}))


def test_key_depends_on_every_part_and_not_on_their_order() -> None:
    assert cache_key({"a": 1, "b": 2}) == cache_key({"b": 2, "a": 1})
    assert cache_key({"a": 1, "b": 2}) != cache_key({"a": 1, "b": 3})


def test_key_depends_on_our_own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching, "code_digest", lambda: "another state of the code")
    assert cache_key({"structure": "abc"}) != KEY


def test_what_captures_a_sub_dnn_counts() -> None:
    captures = {Path(module.__file__ or "") for module in (caching, checked_content, numbers)}
    assert captures <= {path for package in OWN_CODE for path in package.rglob("*.py")}


def test_every_source_and_its_name_counts(tmp_path: Path) -> None:
    def digest(*files: tuple[str, str]) -> str:
        package = tmp_path / str(len(list(tmp_path.iterdir()))) / "package"
        for name, text in files:
            path = package / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return code_digest((package,))

    one = digest(("a.py", "x = 1"), ("b/c.py", ""))
    assert one == digest(("a.py", "x = 1"), ("b/c.py", ""), ("b/__pycache__/c.pyc", "z"))
    assert one != digest(("a.py", "x = 2"), ("b/c.py", ""))
    assert one != digest(("a.py", "x = 1"), ("c.py", ""))


@pytest.mark.parametrize("damage", ["flip", "cut", "empty"])
def test_damaged_entry_is_thrown_away(tmp_path: Path, damage: str) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, b"artifact")
    content = entry(tmp_path).read_bytes()
    broken = {"flip": content[:-1] + b"X", "cut": content[:-3], "empty": b""}[damage]
    entry(tmp_path).write_bytes(broken)
    assert cache.get(KEY) is None
    assert list(tmp_path.glob("*/*.entry")) == []
    cache.put(KEY, b"artifact")
    assert cache.get(KEY) == b"artifact"


def test_least_recently_used_entries_make_room(tmp_path: Path) -> None:
    keys = [cache_key({"n": n}) for n in range(4)]
    cache = Cache(tmp_path, limit=3 * (1000 + 32))
    for age, key in enumerate(keys[:3]):
        cache.put(key, bytes(1000))
        os.utime(next(tmp_path.glob(f"*/{key}.entry")), ns=(age, age))
    assert cache.get(keys[0]) is not None  # used again: now the youngest
    cache.put(keys[3], bytes(1000))
    cache.make_room()
    assert [cache.get(key) is not None for key in keys] == [True, False, True, True]


def test_room_is_made_once_and_when_much_was_stored(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit=64_000)
    keys = [cache_key({"n": n}) for n in range(80)]
    cache.put(keys[0], bytes(100_000))
    cache.make_room_if_due()
    assert cache.get(keys[0]) is None  # another process had left too much
    for key in keys:
        Cache(tmp_path, limit=64_000).put(key, bytes(1000))
        cache.make_room_if_due()
        kept = sum(path.stat().st_size for path in tmp_path.glob("*/*.entry"))
        assert kept < 64_000 + 2 * 2000 + 32 * 64


def test_left_over_of_a_killed_writer_goes_when_room_is_made(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, b"artifact")
    abandoned = entry(tmp_path).parent / ".writing-abc"
    abandoned.write_bytes(b"half")
    cache.make_room()
    assert abandoned.exists()  # somebody may be writing it
    os.utime(abandoned, (0, 0))
    cache.make_room()
    assert not abandoned.exists()
    assert cache.get(KEY) == b"artifact"


def test_cache_that_cannot_be_used_is_empty(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / "file" / "below")
    cache.put(KEY, b"artifact")
    cache.make_room()
    assert cache.get(KEY) is None


def write_and_read(directory: str) -> bool:
    """Hammer one entry, as a second compilation of the same model would."""
    cache = Cache(Path(directory))
    found = []
    for number in range(100):
        cache.put(KEY, b"artifact" * 1000)
        found.append(cache.get(KEY))
        if number % 10 == 0:
            cache.make_room()
    return all(data == b"artifact" * 1000 for data in found)


def test_many_writers_of_one_entry_never_break_it(tmp_path: Path) -> None:
    with ProcessPoolExecutor(3) as pool:
        assert all(pool.map(write_and_read, [str(tmp_path)] * 3))


def test_place_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path / "mine"))
    assert default_directory() == tmp_path / "mine"
    monkeypatch.delenv("DYCL_CACHE_DIR")
    assert default_directory().name == "dycl"

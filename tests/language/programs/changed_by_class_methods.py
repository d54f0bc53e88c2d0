"""Containers of the model changed by methods that are found at their class, or by other ways."""

from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, deque

from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

CALLS = [(POSITIVE,), (NEGATIVE,), (POSITIVE,), (POSITIVE,)]


class _Holder(nn.Module):
    made = list

    def __init__(self):
        super().__init__()
        self.held = type(self).made()


@case(inputs=CALLS)
class ListsMethod(_Holder):
    """list.append(items, x) appends in each call."""

    def forward(self, x):
        list.append(self.held, 1)
        return len(self.held), list.index(self.held, 1)


@case(inputs=CALLS)
class DictsMethods(_Holder):
    """dict.update, dict.__setitem__ and dict.get, by the class."""

    made = dict

    def forward(self, x):
        dict.update(self.held, calls=dict.get(self.held, "calls", 0) + 1)
        dict.__setitem__(self.held, "last", x.sum().item())
        return dict(self.held)


@case(inputs=CALLS)
class MovedToTheEnd(_Holder):
    """move_to_end() changes the order, which depends on the input."""

    def made():
        return OrderedDict(a=1, b=2)

    def forward(self, x):
        if x.sum() > 0:
            self.held.move_to_end("a")
        else:
            OrderedDict.move_to_end(self.held, "b")
        return list(self.held)


@case(inputs=CALLS, refused="DYCL059")
class CountersMethod(_Holder):
    """Counter.update, by the class, of what the host holds."""

    def made():
        return Counter("ab")

    def forward(self, x):
        Counter.update(self.held, ["a"])  # <- refused
        return self.held["a"]


@case(inputs=CALLS, refused="DYCL045")
class SetsMethod(_Holder):
    """set.add, by the class."""

    made = set

    def forward(self, x):
        set.add(self.held, len(self.held))  # <- refused
        return len(self.held)


@case(inputs=CALLS, refused="DYCL045")
class DequesMethod(_Holder):
    """deque.append, by the class."""

    made = deque

    def forward(self, x):
        deque.append(self.held, len(self.held))  # <- refused
        return len(self.held)


@case(inputs=CALLS, refused="DYCL034")
class ChainOfTheLibrary(_Holder):
    """And a ChainMap, which is only asked before."""

    def made():
        return ChainMap({"a": 1}, {"b": 2})

    def forward(self, x):
        found = self.held["a"] + self.held.get("b", 0) + len(self.held)
        self.held.pop("a")  # <- refused
        return found


@case(inputs=CALLS, refused="DYCL045")
class MadeByAMethodOfAnotherClass(_Holder):
    """dict.update of a Counter adds no counts; that is not known of the host's."""

    def made():
        return Counter("ab")

    def forward(self, x):
        dict.update(self.held, b=5)  # <- refused
        return self.held["b"]


@case(inputs=CALLS, refused="DYCL051")
def keys_of_two_kinds(x):
    """What `UserDict` is refused for in its own code is refused where it is called"""
    table = UserDict(name=1)
    table.update({x.sum().item(): 3})  # <- refused
    return table["name"]

"""Hooks that a call registers on modules of the model, and removes."""

import copy

import torch
from torch import nn
from torch.utils.hooks import RemovableHandle

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

CALLS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (POSITIVE * 3,), (ZERO,)]


class Layers(nn.Module):
    """Layers of torch's, alone and in a row."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
        self.body = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))


def twice(module, inputs, output):
    """Give another output."""
    return output * 2


@case(inputs=CALLS)
class UntilRemoved(Layers):
    """A hook runs until its handle removes it, which may be said twice"""

    def forward(self, x):
        handle = self.first.register_forward_hook(twice)
        y = self.first(x)
        handle.remove()
        handle.remove()
        if y.sum() > 0:
            y = y - self.first(x)
        return y


@case(inputs=CALLS)
class CollectedOutputs(Layers):
    """Hooks gather what layers give in a dict by module, and in a list"""

    def forward(self, x):
        seen, order = {}, []

        def keep(module, inputs, output):
            seen[module] = output
            order.append(inputs[0].mean())

        handles = [layer.register_forward_hook(keep) for layer in (self.first, self.second)]
        y = self.second(self.first(x))
        for handle in handles:
            handle.remove()
        if seen[self.first].max() > 1:
            y = self.first(y)
        return y, seen[self.first], torch.stack(order)


@case(inputs=CALLS)
class InARow(Layers):
    """A layer within a Sequential has a hook, which the Sequential runs"""

    def forward(self, x):
        taken = []
        with self.body[0].register_forward_hook(lambda m, given, out: taken.append(out)):
            y = self.body(x)
        if taken[0].mean() > -1:
            y = y + self.body(taken[0])
        return y, len(taken)


@case(inputs=CALLS)
class BeforeForward(Layers):
    """Hooks before `forward` give other arguments, one or a tuple"""

    def forward(self, x):
        one = self.first.register_forward_pre_hook(lambda module, inputs: inputs[0] + 1)
        two = self.first.register_forward_pre_hook(lambda module, inputs: (inputs[0] * 3,))
        y = self.first(x)
        one.remove()
        z = self.first(x)
        two.remove()
        if x.sum() > 0:
            return y - z
        return z


@case(inputs=CALLS)
class InOrder(Layers):
    """Hooks run in the order of their registration, one that is prepended before all others"""

    def __init__(self):
        super().__init__()
        self.first.register_forward_hook(lambda module, inputs, output: output + 1)

    def forward(self, x):
        one = self.first.register_forward_hook(lambda module, inputs, output: output * 2)
        two = self.first.register_forward_hook(lambda m, given, out: out - 5, prepend=True)
        y = self.first(x)
        if x.sum() > 0:
            y = y * 2
        one.remove()
        two.remove()
        return y + self.first(x)


@case(inputs=CALLS)
class OnEveryModule(Layers):
    """`apply` registers hooks on the modules that a function chooses"""

    def forward(self, x):
        hooks, sizes = [], []

        def install(layer):
            if isinstance(layer, nn.Linear):
                hooks.append(layer.register_forward_hook(lambda m, i, out: sizes.append(out.abs())))

        self.body.apply(install)
        y = self.body(x)
        for hook in hooks:
            hook.remove()
        if sizes[0].max() > 1:
            y = y * 2
        return y, len(sizes), sizes[1]


class Watching:
    """Registers a method of its own, and keeps the handles."""

    def __init__(self, *layers):
        self.outputs = []
        self.handles = [layer.register_forward_hook(self.keep) for layer in layers]

    def keep(self, module, inputs, output):
        """Take note of an output."""
        self.outputs.append(output)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for handle in self.handles:
            handle.remove()
        self.handles = []


@case(inputs=CALLS)
class ByAnObject(Layers):
    """An object of the call registers its method, and removes it where the block ends"""

    def forward(self, x):
        with Watching(self.first, self.body[2]) as watching:
            y = self.body(self.first(x))
        if watching.outputs[0].sum() > 0:
            y = self.first(y)
        return y, torch.cat(watching.outputs)


@case(inputs=CALLS)
class HandlesOfTheModel(Layers):
    """The model keeps its handles in a list that each call fills and clears"""

    def __init__(self):
        super().__init__()
        self.handles, self.seen = [], {}

    def install(self):
        """Register hooks."""
        for name, layer in self.named_children():

            def keep(module, inputs, output, name=name):
                self.seen[name] = output

            self.handles.append(layer.register_forward_hook(keep))

    def forward(self, x):
        self.seen = {}
        self.install()
        try:
            y = self.body(self.second(x))
        finally:
            for handle in self.handles:
                handle.remove()
            self.handles.clear()
        if self.seen["second"].sum() > 0:
            y = y * 2
        return y, sorted(self.seen)


@case(inputs=CALLS)
class OnOnePath(Layers):
    """One of two paths registers a hook; both remove what there is"""

    def forward(self, x):
        handle = None
        if x.sum() > 0:
            handle = self.first.register_forward_hook(twice)
        y = self.first(x)
        if handle is not None:
            handle.remove()
        return y + self.first(x)


@case(inputs=CALLS)
class OneOfTwo(Layers):
    """Both paths register the same hook with numbers of their own"""

    def forward(self, x):
        factor = x.max().item()
        if factor > 1:
            handle = self.first.register_forward_hook(lambda m, i, out: out * factor)
        else:
            factor = x.min().item()
            handle = self.first.register_forward_hook(lambda m, i, out: out * factor)
        y = self.first(x)
        handle.remove()
        return y


@case(inputs=CALLS)
class InEachTurn(Layers):
    """Each turn of a loop registers a hook and removes it"""

    def forward(self, x):
        total, steps = x * 0, 0
        while total.abs().sum() < 20:
            handle = self.first.register_forward_hook(twice)
            total = total + self.first(x).abs() + 0.5
            handle.remove()
            steps += 1
        return total, steps


@case(inputs=CALLS)
class AroundALoop(Layers):
    """A hook joins outputs of all turns of a loop: a cache of keys"""

    def forward(self, x):
        cache = {}

        def save(module, _, output):
            if module in cache:
                cache[module] = torch.cat([cache[module], output])
            else:
                cache[module] = output
            return cache[module]

        handle = self.first.register_forward_hook(save)
        y, steps = x, 0
        while y.mean() < 5 and steps < 4:
            y = self.first(y[-1:]).sum(0, keepdim=True) + 1
            steps += 1
        handle.remove()
        return y, steps


@case(inputs=CALLS)
class RemovesItself(Layers):
    """A hook that removes itself runs once"""

    def forward(self, x):
        handles = []

        def once(module, inputs, output):
            handles[0].remove()
            return output * 10

        handles.append(self.first.register_forward_hook(once))
        y = self.first(x)
        if y.sum() > 0:
            return self.first(y)
        return y


class Own(nn.Module):
    """Registers a hook on itself while it is called."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.handle = None

    def forward(self, x):
        """Register a hook once."""
        if self.handle is None:
            self.handle = self.register_forward_hook(twice)
        return self.layer(x)


@case(inputs=CALLS)
class WhileCalled(nn.Module):
    """A module without hooks asks for them before its `forward` only"""

    def __init__(self):
        super().__init__()
        self.own = Own()

    def forward(self, x):
        y = self.own(x)
        z = self.own(x)
        self.own.handle.remove()
        self.own.handle = None
        if y.sum() > 0:
            return y, z
        return z, y


@case(inputs=CALLS)
class OnModulesOfTheModel(nn.Module):
    """A module of the user's with a hook is not called as one; `forward` runs no hook"""

    def __init__(self):
        super().__init__()
        self.part = Layers()
        self.part.forward = lambda x: self.part.first(x)

    def forward(self, x):
        with self.part.register_forward_hook(twice):
            y, z = self.part(x), self.part.forward(x)
        if y.sum() > 0:
            y = y + 1
        return y, z, self.part(x)


@case(inputs=CALLS)
class Recurrent(nn.Module):
    """A hook on a recurrent layer gets its results"""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(3, 4, batch_first=True)

    def forward(self, x):
        states = []
        handle = self.cell.register_forward_hook(lambda m, given, out: states.append(out[1]))
        y, _ = self.cell(x[None])
        handle.remove()
        if states[0].sum() > 0:
            y = y * 2
        return y, states[0]


@case(inputs=CALLS)
class StateOfTheModel(Layers):
    """What a hook of each call stores in the model is there in the next one"""

    def __init__(self):
        super().__init__()
        self.total = torch.zeros(3)

    def forward(self, x):
        def add(module, inputs, output):
            self.total = self.total + output.sum(0)

        with self.first.register_forward_hook(add):
            y = self.first(x)
        if self.total.sum() > 0:
            y = y + self.total
        return y


@case(inputs=CALLS)
class KindOfHandle(Layers):
    """A handle is one of torch's"""

    def forward(self, x):
        handle = self.first.register_forward_hook(twice)
        y = self.first(x)
        handle.remove()
        if y.sum() > 0:
            y = y * 2
        return y, isinstance(handle, RemovableHandle)


@case(inputs=CALLS)
class RaisedWithin(Layers):
    """Where the layer's hook raises, `finally` removes it"""

    def forward(self, x):
        def check(module, inputs, output):
            if output.sum() > 0:
                raise ValueError("above zero")

        handle = self.first.register_forward_hook(check)
        try:
            y = self.first(x)
        except ValueError:
            y = x * 10
        finally:
            handle.remove()
        return y + self.first(x)


class Scale(nn.Module):
    """Has a keyword."""

    def forward(self, x, factor=1, shift=0.0):
        """Scale what is given."""
        return x * factor + shift


class Scaled(nn.Module):
    """Holds a layer that has keywords."""

    def __init__(self):
        super().__init__()
        self.layer = Scale()


@case(inputs=CALLS)
class WithKeywords(Scaled):
    """Hooks that are told of keywords see and change them, also in place; others do not"""

    def forward(self, x):
        seen = []

        def plain(module, args):
            seen.append(len(args))

        def told(module, args, kwargs):
            seen.append(sorted(kwargs))
            return (args[0] + 1, kwargs["factor"]), {"shift": 0.5}

        def changing(module, args, kwargs):
            kwargs["shift"] += 1

        def behind(module, args, kwargs, output):
            seen.append((len(args), kwargs["shift"]))
            return output * kwargs["shift"]

        handles = [
            self.layer.register_forward_pre_hook(plain),
            self.layer.register_forward_pre_hook(told, with_kwargs=True),
            self.layer.register_forward_pre_hook(changing, with_kwargs=True),
            self.layer.register_forward_hook(behind, with_kwargs=True, prepend=True),
        ]
        y = self.layer(x, factor=2)
        for handle in handles:
            handle.remove()
        if y.sum() > 0:
            y = self.layer(y, shift=1.0)
        return y, seen


@case(inputs=CALLS)
class ModelsOwnWithKeywords(Scaled):
    """The same of hooks of the model"""

    def __init__(self):
        super().__init__()

        def told(module, args, kwargs):
            return args, {**kwargs, "factor": kwargs.get("factor", 1) * 2}

        self.layer.register_forward_pre_hook(told, with_kwargs=True)
        self.layer.register_forward_hook(lambda m, a, kwargs, out: out + len(kwargs), with_kwargs=True)

    def forward(self, x):
        y = self.layer(x, shift=1.0)
        if y.sum() > 0:
            y = self.layer(y, factor=x.mean().item())
        return y


@case(inputs=CALLS)
class RemovedBeforeItIsCalled(Scaled):
    """A hook that another one removes is called once more, without the keywords"""

    def forward(self, x):
        handles, seen = [], []

        def removing(module, args):
            handles[1].remove()

        def told(module, args, *kwargs):
            seen.append(len(kwargs))

        handles.append(self.layer.register_forward_pre_hook(removing))
        handles.append(self.layer.register_forward_pre_hook(told, with_kwargs=True))
        y = self.layer(x, factor=2)
        handles[0].remove()
        if y.sum() > 0:
            y = y + 1
        return y, seen


@case(inputs=CALLS, refused="DYCL034")
class LeftBehind(Layers):
    """The next call would run the hook, too"""

    def forward(self, x):
        handle = self.first.register_forward_hook(twice)  # <- refused
        y = self.first(x)
        if y.sum() > 0:
            handle.remove()
        return y


@case(inputs=CALLS, refused="DYCL034")
class LeftByAnError(Layers):
    """So would it after a path that raises"""

    def forward(self, x):
        handle = self.first.register_forward_hook(twice)  # <- refused
        y = self.first(x)
        if y.sum() > 0:
            raise ValueError("above zero")
        handle.remove()
        return y


@case(inputs=CALLS, refused="DYCL034")
class OneOfTheModels(Layers):
    """A hook of the model's own is removed"""

    def __init__(self):
        super().__init__()
        self.handle = self.first.register_forward_hook(twice)

    def forward(self, x):
        y = self.first(x)
        self.handle.remove()  # <- refused
        return y


@case(inputs=CALLS, refused="DYCL034")
class OtherTable(Layers):
    """The table of hooks is another one for a while"""

    def forward(self, x):
        hooks = self.first._forward_hooks
        self.first._forward_hooks = {0: twice}  # <- refused
        y = self.first(x)
        self.first._forward_hooks = hooks  # <- refused
        return y


@case(inputs=CALLS, refused="DYCL034")
class HookOfGradients(Layers):
    """Other hooks are registered: of gradients, of the state dict"""

    def forward(self, x):
        self.first.register_full_backward_hook(torch.relu)  # <- refused
        return self.first(x)


@case(inputs=CALLS, refused="DYCL039")
class TableIsRead(Layers):
    """The table of hooks is read, whose keys count all handles that there were"""

    def forward(self, x):
        handle = self.first.register_forward_hook(twice)
        y = self.first(x) * len(self.first._forward_hooks)  # <- refused
        handle.remove()
        return y


@case(inputs=CALLS, refused="DYCL034")
class TableWasRead(Layers):
    """The same of a table that is held already"""

    def forward(self, x):
        hooks = self.first._forward_hooks
        handle = self.first.register_forward_hook(twice)  # <- refused
        y = self.first(x) * len(hooks)
        handle.remove()
        return y


@case(inputs=CALLS, refused="DYCL039")
class NumberOfHandle(Layers):
    """The number of a handle counts all handles that there were"""

    def forward(self, x):
        handle = self.first.register_forward_hook(twice)
        y = self.first(x) * handle.id  # <- refused
        handle.remove()
        return y


@case(inputs=CALLS, refused="DYCL049")
class KeywordsForgotten(Scaled):
    """PyTorch raises where such a hook gives other than both"""

    def forward(self, x):
        with self.layer.register_forward_pre_hook(lambda m, args, kw: args, with_kwargs=True):
            return self.layer(x, factor=2)  # <- refused


@case(inputs=CALLS, refused="DYCL049")
class AlwaysCalled(Layers):
    """A hook that is called where `forward` raises, too"""

    def forward(self, x):
        handle = self.first.register_forward_hook(twice, always_call=True)  # <- refused
        y = self.first(x)
        handle.remove()
        return y


@case(inputs=CALLS, refused="DYCL059")
class CopiedHandle(Layers):
    """A copy of a handle removes the same hook"""

    def forward(self, x):
        handle = self.first.register_forward_hook(twice)
        y = self.first(x)
        copy.copy(handle).remove()  # <- refused
        return y

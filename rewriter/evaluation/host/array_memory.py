"""The memory of numpy's arrays: who made it, who writes to it, and which tensors lie over it.

An array that is written is one of the host, which numpy writes as in the original, so that views
see it. Only memory made in the call is written, and none over which a tensor lies: a tensor of the
host is a copy.
"""

from collections.abc import Iterable
from dataclasses import replace

import libcst as cst
import numpy

from rewriter.array_samples import Array, is_array
from rewriter.evaluation.host.array_table import Site
from rewriter.evaluation.run import Frame
from rewriter.flattening import Flattening, Roots
from rewriter.host_types import ObjectType
from rewriter.keeping.noting import keep_object
from rewriter.keeping.plan import StartAnew
from rewriter.loose_types import Note, Where
from rewriter.on_the_way import leaves_on_the_way
from rewriter.state import State
from rewriter.values import FOREIGN, IN_CONTAINERS, HostValue, Known, Memory, Value


def root_of(array: Array) -> Array:
    """Return the array whose memory an array is a view of."""
    while isinstance(array.base, numpy.ndarray):
        array = array.base
    return array


def site_of(frame: Frame, node: cst.CSTNode) -> Site:
    """Return what tells an expression apart from others."""
    origin = frame.origin(node)
    return origin.file, origin.line, origin.column, origin.end_column


def allocated(frame: Frame, node: cst.CSTNode) -> Memory:
    """Return the memory of an array that an expression makes now.

    That of a rolled loop stands for the memory of all its iterations.
    """
    arrays = frame.run.arrays
    arrays.count += 0 if frame.run.unbound_reads else 1
    token = (site_of(frame, node), 0 if frame.run.unbound_reads else arrays.count)
    arrays.made_in[token] = tuple(frame.run.unbound_reads)
    return frozenset({token})


def forget_tensors_over(frame: Frame, state: State, memory: Memory) -> None:
    """Forget tensors over the memory of an earlier iteration's array that nobody has any more."""
    arrays = frame.run.arrays
    if arrays.exported.isdisjoint(memory):
        return
    frames = frame.run.live_frames()
    roots = Roots(frames=frames, attributes=tuple(state.attributes))
    leaves = [*Flattening(state, roots).run().leaves, *leaves_on_the_way(state, frames)]
    held = [leaf.memory for leaf in leaves if isinstance(leaf, HostValue) and leaf.memory]
    arrays.exported -= memory.difference(*held)


def lay_tensor_over(frame: Frame, node: cst.CSTNode, value: HostValue) -> None:
    """Record that a tensor shares an array's memory, which is not written from here on."""
    if value.memory is None:
        lay_tensor_over_any(frame, node)
    else:
        _lay_tensor_over(frame, node, value.memory - FOREIGN)


def lay_tensor_over_any(frame: Frame, node: cst.CSTNode) -> None:
    """Record that a tensor shares the memory of any of the arrays that were made so far."""
    frame.run.arrays.over_any = True
    _lay_tensor_over(frame, node, frozenset(frame.run.arrays.made_in))


def _lay_tensor_over(frame: Frame, node: cst.CSTNode, memory: Memory) -> None:
    arrays, loops = frame.run.arrays, frame.run.unbound_reads
    if not arrays.shared.isdisjoint(memory):
        _refuse_tensor_over(frame, node)
    for token in memory:
        made_in = arrays.made_in[token]
        for loop in arrays.written_in.get(token, ()):
            if any(loop is each for each in loops) and not any(loop is each for each in made_in):
                _refuse_tensor_over(frame, node)
    arrays.exported |= memory


def put_array(
    frame: Frame, node: cst.CSTNode, value: Value, wanted: ObjectType, places: tuple[Where, ...]
) -> None:
    """Record that a container of the host holds an array, and what is written there."""
    arrays = frame.run.arrays
    if isinstance(value, HostValue) and not wanted.written:
        arrays.places[value.name] = (*arrays.places.get(value.name, ()), *places)
    if not wanted.written:
        return
    if isinstance(value, Known) and isinstance(value.value, numpy.ndarray):
        make_on_host(frame, value.value)
    memory = value.memory if isinstance(value, HostValue) and value.alike else None
    if (
        memory is None
        or memory >= FOREIGN
        or arrays.over_any
        or not arrays.exported.isdisjoint(memory)
    ):
        frame.refuse(
            "DYCL034",
            node,
            "an array is kept in a container known only at run time, and written there, whose "
            "memory may be that of an argument, the model or a tensor",
            "put a copy there: a.copy()",
        )
    arrays.shared |= memory | IN_CONTAINERS
    for token in IN_CONTAINERS:
        arrays.made_in.setdefault(token, ())


def taken_array(
    frame: Frame, value: HostValue, given: ObjectType, places: tuple[Where, ...]
) -> HostValue:
    """Return what a container of the host gave, with what is known of an array's memory."""
    if given.written:
        return replace(value, memory=IN_CONTAINERS, alike=True)
    if is_array(value.sample):
        frame.run.arrays.places[value.name] = places
    return value


def _with_shared(frame: Frame, memory: Memory) -> Memory:
    """Return memory with that of all arrays of containers, if it may be among these."""
    shared = frame.run.arrays.shared
    return memory if shared.isdisjoint(memory) else memory | shared


def note_writes(frame: Frame, node: cst.CSTNode, state: State, written: Iterable[Value]) -> None:
    """Record that the host writes to arrays, or refuse it.

    An array that was known when compiling, and made in the call, is one of the host from its
    making on: evaluation starts anew.
    """
    arrays = frame.run.arrays
    for value in written:
        if isinstance(value, Known) and isinstance(value.value, numpy.ndarray):
            write_known(frame, node, [value.value])
        memory = value.memory if isinstance(value, HostValue) else None
        if memory is None or memory >= FOREIGN:
            places = arrays.places.get(value.name, ()) if isinstance(value, HostValue) else ()
            state.places.found.update(Note(place, path, "written") for place, path in places)
            _copy_tensors(frame, memory or FOREIGN)
            frame.refuse(
                "DYCL034",
                node,
                "this changes an array in place that is an argument, or may share its memory with "
                "the model or a tensor",
                "work on a copy: a = a.copy()",
            )
        memory = _with_shared(frame, memory)
        if not arrays.exported.isdisjoint(memory):
            _refuse_tensor_over(frame, node)
        for token in memory:
            arrays.written_in.setdefault(token, []).extend(frame.run.unbound_reads)


def _copy_tensors(frame: Frame, memory: Memory) -> None:
    """Start anew with copies of tensors nobody looks at, where only such memory is written."""
    arrays, sites = frame.run.arrays, frame.run.plan.array_sites
    found = {site for site, _ in memory & arrays.of_tensors if isinstance(site, tuple)}
    if found - sites:
        sites |= found
        raise StartAnew


def is_surely_foreign(frame: Frame, value: HostValue) -> bool:
    """Return whether an array is not written by any name: an argument's, or a tensor's."""
    memory = value.memory
    return memory is not None and memory - frame.run.arrays.of_tensors == FOREIGN


def _refuse_tensor_over(frame: Frame, node: cst.CSTNode) -> None:
    frame.refuse(
        "DYCL035",
        node,
        "an array is changed in place whose memory a tensor shares",
        "make the tensor of a copy: torch.tensor(a)",
    )


def note_made(
    frame: Frame, node: cst.CSTNode, made: Iterable[Array], given: Iterable[Array]
) -> None:
    """Record which arrays that are known when compiling were made in the call, and where."""
    theirs = {id(root_of(array)) for array in given}
    for array in made:
        root = root_of(array)
        if root.flags.owndata and id(root) not in theirs:
            frame.run.arrays.made.setdefault(id(root), (root, site_of(frame, node)))


def make_on_host(frame: Frame, array: Array) -> None:
    """Start anew where the call made a known array that is to be one of the host's."""
    _, site = frame.run.arrays.made.get(id(root_of(array)), (None, None))
    if site is not None and site not in frame.run.plan.array_sites:
        frame.run.plan.array_sites.add(site)
        raise StartAnew


def write_known(frame: Frame, node: cst.CSTNode, written: Iterable[Array]) -> None:
    """Start anew where arrays that the call made are written; refuse writes to all others."""
    for array in written:
        make_on_host(frame, array)
        keep_object(frame.run, array)
        frame.refuse(
            "DYCL034",
            node,
            "an array that outlives the call is changed in place",
            "work on a copy: a = a.copy()",
        )


def is_made_on_host(frame: Frame, node: cst.CSTNode) -> bool:
    """Return whether an expression makes arrays that the call writes to."""
    sites = frame.run.plan.array_sites
    return bool(sites) and site_of(frame, node) in sites


def is_host_array(value: Value) -> bool:
    """Return whether a value is an array of the host."""
    return isinstance(value, HostValue) and is_array(value.sample)

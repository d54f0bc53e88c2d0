"""The queues of ``queue``: only the program itself puts items in and takes them out.

A call that would wait for another thread raises: nobody would ever end its wait.
"""

from collections import deque
from heapq import heappop, heappush
from queue import Empty, Full


class Queue:
    """First in, first out."""

    def __init__(self, maxsize=0):
        self.maxsize = maxsize
        self.unfinished_tasks = 0
        self._init(maxsize)

    def _init(self, maxsize):
        self.queue = deque()

    def _put(self, item):
        self.queue.append(item)

    def _get(self):
        return self.queue.popleft()

    def qsize(self):
        """Return how many items there are."""
        return len(self.queue)

    def empty(self):
        """Return whether there are none."""
        return not len(self.queue)

    def full(self):
        """Return whether there are as many as there may be."""
        return 0 < self.maxsize <= len(self.queue)

    def put(self, item, block=True, timeout=None):
        """Add an item."""
        if self.full():
            if not block:
                raise Full
            if timeout is None:
                raise RuntimeError("put() waits for a place in a queue that nobody else empties")
            if timeout < 0:
                raise ValueError("'timeout' must be a non-negative number")
            raise Full
        self._put(item)
        self.unfinished_tasks += 1

    def get(self, block=True, timeout=None):
        """Take an item out."""
        if len(self.queue) == 0:
            if not block:
                raise Empty
            if timeout is None:
                raise RuntimeError("get() waits for an item of a queue that nobody else fills")
            if timeout < 0:
                raise ValueError("'timeout' must be a non-negative number")
            raise Empty
        return self._get()

    def put_nowait(self, item):
        """Add an item where there is a place."""
        return self.put(item, block=False)

    def get_nowait(self):
        """Take an item out where there is one."""
        return self.get(block=False)

    def task_done(self):
        """Count an item that was taken out as done."""
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1

    def join(self):
        """Wait until all items are done."""
        if self.unfinished_tasks:
            raise RuntimeError("join() waits for items of a queue that nobody else takes out")


class LifoQueue(Queue):
    """Last in, first out."""

    def _init(self, maxsize):
        self.queue = []

    def _get(self):
        return self.queue.pop()


class PriorityQueue(Queue):
    """The smallest first."""

    def _init(self, maxsize):
        self.queue = []

    def _put(self, item):
        heappush(self.queue, item)

    def _get(self):
        return heappop(self.queue)

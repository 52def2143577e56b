"""Many tasks on many cores, or on a cluster, through the one interface of `concurrent.futures.Executor`."""

from __future__ import annotations

import contextlib
import contextvars
import multiprocessing
import multiprocessing.connection
import multiprocessing.context
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from jetgram.errors import JetgramError
from jetgram.extras import needed_for

T = TypeVar("T")
R = TypeVar("R")

PATIENCE = 2.0  # seconds until a worker that does not end is asked again
DASK_PATIENCE = "30s"  # until a scheduler must have answered
RETRIES = 10  # a task whose worker died is tried again this often

_cluster: contextvars.ContextVar[Executor | None] = contextvars.ContextVar("cluster", default=None)


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Within the block, everything that is not given an executor works on a Dask cluster.

    `jetgram.convert`, `jetgram.collisions.generate.generate`, `jetgram.training.ensemble.train_seeds` and studies send
    it one task per shard, seed or row. The results are bit-identical to those of one process; the workers must see the
    same folders. Workers may come and go: a task whose worker died is done again.

    Args:
        address: of the scheduler, e.g. `tcp://10.0.0.1:8786`.
    """
    with open_executor(dask=address) as executor:
        token = _cluster.set(executor)
        try:
            yield executor
        finally:
            _cluster.reset(token)


def cluster_executor() -> Executor | None:
    """That of the innermost `cluster` block; None outside."""
    return _cluster.get()


@contextlib.contextmanager
def given_or_opened(executor: Executor | None) -> Iterator[Executor]:
    """The executor that was given; else that of the `cluster` block around; else a process of this machine."""
    found = executor or cluster_executor()
    if found is not None:
        yield found
        return
    with open_executor() as opened:
        yield opened


@contextlib.contextmanager
def open_executor(workers: int = 1, dask: str | None = None, same_bits: bool = False) -> Iterator[Executor]:
    """A pool of processes on this machine, or the workers of a Dask cluster.

    Leaving the block by an exception, Ctrl-C included, drops what is not finished.

    Args:
        workers: processes on this machine.
        dask: address of a Dask scheduler, e.g. `tcp://10.0.0.1:8786`; then `workers` does not count.
        same_bits: let the processes compute with a NumPy that has the same bits on every machine; see
            `jetgram.numpy_bits`. The workers of a cluster are as they were started.
    """
    with _dask_executor(dask) if dask else _process_pool(workers, same_bits) as executor:
        yield executor


def _end(workers: Collection[BaseProcess]) -> None:
    """End workers: one that trains only stops that when it is asked, and takes another task; it is asked again."""
    while alive := [worker for worker in workers if worker.is_alive()]:
        for worker in alive:
            worker.terminate()
        alive[0].join(PATIENCE)


def read_ahead(function: Callable[[T], R], items: Iterable[T], workers: int = 1) -> Generator[R]:
    """What the function gives for each item, in order, with threads that work ahead: for work that releases the GIL.

    Args:
        function: called in another thread.
        items: taken one by one; at most `workers` of them are worked on before the last result is taken.
        workers: threads.

    Example:
        >>> list(read_ahead(abs, [-1, 2, -3], workers=2))
        [1, 2, 3]
    """
    with ThreadPoolExecutor(workers) as pool:
        coming: deque[Future[R]] = deque()
        try:
            for item in items:
                coming.append(pool.submit(function, item))
                if len(coming) > workers:
                    yield coming.popleft().result()
            while coming:
                yield coming.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


class _SpawnContext(multiprocessing.context.SpawnContext):
    """Remembers the processes that it started: those of one pool, whatever else this process has started."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[BaseProcess] = []

    def Process(self, *args: Any, **options: Any) -> BaseProcess:  # type: ignore[override] # noqa: N802
        """A process to be started."""
        self.started.append(super().Process(*args, **options))
        return self.started[-1]


@contextlib.contextmanager
def _process_pool(workers: int, same_bits: bool) -> Iterator[Executor]:
    context = _SpawnContext()
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker)
    try:
        _start_workers(executor, workers, same_bits)
        yield executor
    except BaseException as error:
        _end(context.started)
        # A pool without workers is soon gone; Python would stumble at its end over one that nobody waited for.
        executor.shutdown(wait=True, cancel_futures=True)
        if isinstance(error, BrokenExecutor):
            raise JetgramError(
                "a worker died, perhaps for want of memory; nothing that was finished is lost: run the same command "
                "again, or with fewer --workers"
            ) from error
        raise
    executor.shutdown(wait=True)


def _start_workers(executor: Executor, workers: int, same_bits: bool) -> None:
    """Start all processes of a pool now, while Ctrl-C waits: a pool starts one worker per task, up to its number."""
    from jetgram import numpy_bits

    with _ctrl_c_held_back(), numpy_bits.for_new_processes() if same_bits else contextlib.nullcontext():
        for _ in range(workers):
            executor.submit(os.getpid)


@contextlib.contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Ctrl-C waits until the block is left. Processes started meanwhile never see it: their parent ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker() -> None:
    """A worker ends soon after its parent is gone, however that came."""
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


@contextlib.contextmanager
def _dask_executor(address: str) -> Iterator[Executor]:
    with needed_for("a Dask cluster"):
        from distributed import Client
    try:
        client = Client(address, timeout=DASK_PATIENCE)
    except (OSError, ValueError) as error:
        raise JetgramError(f"no Dask scheduler answers at {address!r}: {error}") from error
    with client:
        client.run_on_scheduler(_forgive_deaths)
        executor = client.get_executor(retries=RETRIES, pure=False)
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False)  # which cancels its futures
            raise
        executor.shutdown(wait=True)


def _forgive_deaths(dask_scheduler: Any) -> None:
    """On the scheduler: a task is given up when this many workers have died over it; Dask's default is 3.

    On a farm workers die because their time is over or their node is needed, not because of what they do.
    """
    dask_scheduler.allowed_failures = max(dask_scheduler.allowed_failures, RETRIES)

"""Who runs the rows. Each executor yields (row, outcome) in whatever order they come, every row once.

An executor keeps only a few rows in flight for each worker, so that a million rows cost no memory and an
interrupt is quick. Ctrl-C leaves through the generator's close, which stops the workers.
"""

import os

from .task import Outcome

#: Rows handed out ahead for each worker.
AHEAD = 2


def on_threads(task, rows, todo, workers, retries):
    """Threads of this process."""
    from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

    workers = min(workers or _cores(), len(todo)) or 1
    queue, flying = iter(todo), {}
    pool = ThreadPoolExecutor(workers, thread_name_prefix="sweep")
    try:
        while True:
            while len(flying) < AHEAD * workers and (row := next(queue, None)) is not None:
                flying[pool.submit(task.run, row, rows[row])] = row
            if not flying:
                return
            for future in wait(flying, return_when=FIRST_COMPLETED).done:
                yield flying.pop(future), future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def on_processes(task, rows, todo, workers, retries):
    """Processes of this machine, each a fresh interpreter. A row whose process dies is given to another."""
    from multiprocessing.connection import wait

    from .processes import Worker, died

    if not todo:
        return
    pickled = task.pickled()
    queue, attempts = list(reversed(todo)), {}
    pool = [Worker(pickled) for _ in range(min(workers or _cores(), len(todo)))]
    try:
        while queue or any(worker.row is not None for worker in pool):
            for worker in pool:
                if worker.ready and worker.row is None and queue:
                    row = queue.pop()
                    worker.give(row, rows[row])
            for connection in wait([worker.connection for worker in pool]):
                place = next(i for i, worker in enumerate(pool) if worker.connection is connection)
                worker, row = pool[place], pool[place].row
                try:
                    outcome = worker.take()
                except (EOFError, OSError):
                    worker.stop()
                    if not worker.ready:
                        raise RuntimeError(
                            f"a worker process {died(worker.process)} before it was ready: its message is above; a script that "
                            'sweeps on processes needs `if __name__ == "__main__":` around what it runs'
                        ) from None
                    pool[place] = Worker(pickled)
                    outcome = None
                    if row is not None:
                        attempts[row] = attempts.get(row, 0) + 1
                        if attempts[row] <= retries:
                            queue.append(row)
                        else:
                            outcome = _died(died(worker.process), attempts[row])
                if outcome is not None:
                    yield row, outcome
    finally:
        for worker in pool:
            worker.stop()


def on_ray(task, rows, todo, workers, retries):
    """A Ray cluster. Ray starts a row again on another node when its node is lost; so do we, if Ray gives up."""
    try:
        import ray
    except ImportError:
        raise ImportError("executor='ray' needs Ray: pip install ray") from None
    from ray.exceptions import RayError, RayTaskError, TaskCancelledError

    from .cluster import by_value, run

    if not todo:
        return
    started_here = not ray.is_initialized()
    if started_here:
        ray.init(log_to_driver=False, include_dashboard=False)
    flying = {}
    try:
        shared = ray.put(by_value(ray.cloudpickle, task))
        remote = ray.remote(max_retries=retries)(run)
        queue, attempts = list(reversed(todo)), {}
        while queue or flying:
            limit = workers or AHEAD * max(int(ray.cluster_resources().get("CPU", 1)), 1)
            while queue and len(flying) < limit:
                row = queue.pop()
                flying[remote.remote(shared, row, rows[row])] = row
            done, _ = ray.wait(list(flying), num_returns=1, timeout=10.0)
            for reference in done:
                row = flying.pop(reference)
                try:
                    outcome = ray.get(reference)
                except (RayTaskError, TaskCancelledError) as error:
                    # Not raised by the function, whose errors are outcomes: the node cannot run the task at all.
                    raise RuntimeError(f"a node could not run row {row}: {error}") from error
                except RayError as error:  # the worker or its node was lost, with the result
                    attempts[row] = attempts.get(row, 0) + 1
                    if attempts[row] <= retries:
                        queue.append(row)
                        continue
                    outcome = _died(f"was lost ({type(error).__name__})", attempts[row])
                yield row, outcome
    finally:
        for reference in flying:
            ray.cancel(reference)
        if started_here:
            ray.shutdown()


EXECUTORS = {"threads": on_threads, "processes": on_processes, "ray": on_ray}


def _died(how, times):
    """The outcome of a row that takes its process with it every time."""
    return Outcome(None, f"WorkerDied: the process that ran this row {how}, {times} times")


def _cores():
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

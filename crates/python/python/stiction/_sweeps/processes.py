"""A worker process: a fresh interpreter that runs rows one after another."""

import multiprocessing
import pickle
import signal


class Worker:
    """A worker process as its owner sees it."""

    def __init__(self, pickled):
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, pickled), daemon=True)
        self.process.start()
        theirs.close()  # so that the end of the process ends the connection
        #: Whether it has started and holds the task.
        self.ready = False
        #: The row it is running, or None.
        self.row = None

    def give(self, row, parameters):
        self.row = row
        try:
            self.connection.send((row, parameters))
        except OSError:
            pass  # it has just died, which take() will find

    def take(self):
        """The outcome of its row, or None when it reports that it is ready. EOFError or OSError if it died."""
        kind, content = self.connection.recv()
        if kind == "cannot load":
            raise ValueError(
                f"the function cannot be loaded in another process ({content}): define it at the top of a module "
                'that can be imported there, install cloudpickle, or use executor="threads"'
            )
        self.ready, self.row = True, None
        return content

    def stop(self):
        self.connection.close()
        self.process.terminate()
        self.process.join()


def died(process):
    """How a process ended, for people."""
    code = process.exitcode
    if code is not None and code < 0:
        try:
            return f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            pass
    return f"ended with code {code}"


def _serve(connection, pickled):
    """The life of a worker: until its owner goes away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the owner, who then stops us
    try:
        task = pickle.loads(pickled)
    except Exception as error:
        connection.send(("cannot load", f"{type(error).__name__}: {error}"))
        return
    connection.send(("ready", None))
    while True:
        try:
            row, parameters = connection.recv()
            connection.send(("done", task.run(row, parameters)))
        except (EOFError, OSError):
            return

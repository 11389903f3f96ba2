"""What goes to a node of a Ray cluster, and what runs there."""

import pickle
import sys
import sysconfig

from .task import innermost

#: The task this process ran last, kept because unpickling a large model takes longer than many a run.
_last = (None, None)


def by_value(cloudpickle, task):
    """The task for the nodes. They have the installed packages; the function's own module travels along, if it is
    not one of those. Modules that it imports in turn are for Ray's runtime_env."""
    module = sys.modules.get(getattr(innermost(task.function), "__module__", None) or "")
    file = getattr(module, "__file__", None)
    package = (getattr(module, "__name__", "") or "").partition(".")[0]
    installed = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib"))
    local = file and package not in ("__main__", "stiction") and not file.startswith(installed)
    if local:
        cloudpickle.register_pickle_by_value(module)
    try:
        return cloudpickle.dumps(task)
    except Exception as error:
        raise ValueError(f"the function cannot be sent to a cluster ({error}): keep what cannot be pickled out of it") from None
    finally:
        if local:
            cloudpickle.unregister_pickle_by_value(module)


def run(pickled, row, parameters):
    """Runs one row of a pickled task."""
    global _last
    if _last[0] != pickled:
        _last = (pickled, pickle.loads(pickled))
    return _last[1].run(row, parameters)

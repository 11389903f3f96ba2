"""Progress of a sweep, for people or for a function."""

import sys
import time


class Progress:
    """Counts outcomes and reports them."""

    def __init__(self, wish, total, done, errors):
        self.call = wish if callable(wish) else None
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.show = not self.call and (self.terminal if wish is None else bool(wish))
        self.total, self.done, self.errors = total, done, errors
        self.begin, self.first = time.monotonic(), done
        self.shown = 0.0

    def __enter__(self):
        self._tell(force=True)
        return self

    def __exit__(self, kind, *_):
        if self.show:
            self._tell(force=True)
            if self.terminal:
                print(file=sys.stderr)

    def add(self, outcome):
        self.done += 1
        self.errors += outcome.failed
        self._tell(force=False)

    def _tell(self, force):
        if self.call:
            self.call(self.done, self.total, self.errors)
        now = time.monotonic()
        if not self.show or (not force and now - self.shown < (0.1 if self.terminal else 5.0)):
            return
        self.shown = now
        elapsed, fresh = now - self.begin, self.done - self.first
        left = f", {elapsed / fresh * (self.total - self.done):.0f} s left" if fresh and self.done < self.total else ""
        failed = f", {self.errors} failed" if self.errors else ""
        line = f"sweep: {self.done} of {self.total}{failed}, {elapsed:.0f} s{left}"
        print(f"\r{line:<60}" if self.terminal else line, end="" if self.terminal else "\n", file=sys.stderr, flush=True)

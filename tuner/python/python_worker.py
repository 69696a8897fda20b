"""The worker of a problem that has functions of Python. `python -c TEXT serve LIBRARY PLACE...` is a worker on descriptor 3, by the library of asctune; before,
it imports the module of each PLACE, MODULE:FUNCTION or /FILE.py:FUNCTION. The text follows those of interpreter.py and python_call.py.

The worker waits and measures outside of the interpreter's lock, which each hook takes."""

import ctypes
import fcntl
import os
import site
import sys


def settle():
    """A process like that of any other worker: what is printed is kept apart from results, and what libraries leave in a home folder ends with the process."""
    sys.stdout = sys.stderr
    if site.ENABLE_USER_SITE:
        os.environ["PYTHONUSERBASE"] = site.getuserbase()  # that of the user's home; for child processes
    os.environ["HOME"] = os.environ.get("TMPDIR", "/nonexistent")


def import_ahead(places):
    """What cannot be imported says so when it is called: it is that function's failure."""
    process = os.getpid()
    for place in places:
        try:
            find_function(place)
        except BaseException:  # of SystemExit, too
            pass
        if os.getpid() != process:  # a child that the module has forked
            os._exit(0)


def serve(library, places):
    channel = fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, 10)  # out of the way of modules that close what they find
    os.close(3)
    settle()
    import_ahead(places)
    worker = ctypes.CDLL(library)
    worker.asctune_worker_serve.argtypes = (ctypes.c_int, ctypes.c_void_p)
    hooks = make_hooks()
    status = worker.asctune_worker_serve(channel, ctypes.byref(hooks))
    sys.stderr.flush()
    os._exit(status)  # libraries' own ends may wait for a device, or for threads that are left


if sys.argv[1:2] == ["serve"]:
    serve(sys.argv[2], sys.argv[3:])

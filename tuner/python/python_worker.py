"""The worker of a problem that has functions of Python. `python -c TEXT serve LIBRARY PLACE...` is a worker on descriptor 3, by the library of asctune; before,
it imports the module of each PLACE, MODULE:FUNCTION or /FILE.py:FUNCTION. The text follows those of interpreter.py and python_call.py.

The worker waits and measures outside of the interpreter's lock, which each hook takes."""

import ctypes
import fcntl
import os
import re
import site
import subprocess
import sys

# A process that shows torch.compile that the linker and the loader take instructions of some kind.
LOADS = re.compile(r'\s*import torch\s+from ctypes import cdll\s+cdll\.LoadLibrary\("([^"\n]+)"\)\s*')


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


def load_here(check_call):
    """For subprocess.check_call: what torch.compile has a process load, for each kind of instructions and each time that it loads code, is loaded in this one, which has
    imported torch already. That process would do so first, which takes seconds."""

    @functools.wraps(check_call)
    def call(command, *args, **named):
        loads = LOADS.fullmatch(command[2]) if type(command) is list and len(command) == 3 and command[:2] == [sys.executable, "-c"] else None
        if not loads or "torch" not in sys.modules:
            return check_call(command, *args, **named)
        ctypes.CDLL(loads[1])
        return 0

    return call


def serve(library, places):
    channel = fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, 10)  # out of the way of modules that close what they find
    os.close(3)
    settle()
    ours = [channel]
    os.register_at_fork(after_in_child=lambda: ours and os.close(ours.pop()))  # a worker that ends would seem to go on in a child
    import_ahead(places)
    ours.clear()  # from here on the library closes it
    subprocess.check_call = load_here(subprocess.check_call)
    worker = ctypes.CDLL(library)
    worker.asctune_worker_serve.argtypes = (ctypes.c_int, ctypes.c_void_p)
    hooks = make_hooks()
    status = worker.asctune_worker_serve(channel, ctypes.byref(hooks))
    sys.stderr.flush()
    os._exit(status)  # libraries' own ends may wait for a device, or for threads that are left


if sys.argv[1:2] == ["serve"]:
    serve(sys.argv[2], sys.argv[3:])

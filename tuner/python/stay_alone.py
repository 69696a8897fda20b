"""Begins each program that imports modules of the user's, in front of its text: nothing comes from the current folder, nothing goes into the home folder."""

import sys

sys.path[:] = [path for path in sys.path if path]  # anybody may have filled the current folder: it has none of the modules that are imported below


def stay_alone():
    """Libraries make folders in the home folder as they are imported, and locks for several processes. Here is a folder of its own, and one process."""
    import multiprocessing
    import os
    import threading

    for name in [name for name in os.environ if name.startswith("XDG_")]:
        del os.environ[name]
    os.environ["HOME"] = os.environ.get("TMPDIR", "/nonexistent")
    multiprocessing.Lock, multiprocessing.RLock = threading.Lock, threading.RLock

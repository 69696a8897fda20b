"""What an interpreter is, for asctune: begins each program that is asked for it. Any Python since 2.6 runs this text, so that one which is too old says so."""

import sys

sys.path[:] = [path for path in sys.path if path]  # nothing is imported from the current folder, which anybody may have filled

LEAST_WORKER = (3, 9)  # the first with PyObject_CallNoArgs in its C interface


def editable_folders():
    """Folders of packages that were installed to be edited: their distributions say where they are (PEP 610), whatever their loaders do to sys.path."""
    import glob
    import json
    import os

    for place in sys.path:
        for path in glob.glob(os.path.join(place, "*.dist-info", "direct_url.json")):
            try:
                with open(path) as file:
                    said = json.load(file)
                if said.get("dir_info", {}).get("editable") and said["url"].startswith("file://"):
                    from urllib.parse import unquote

                    yield unquote(said["url"][len("file://"):])
            except Exception:  # a distribution that is broken is none of ours
                pass


def interpreter_facts():
    import os
    import platform

    prefixes = [getattr(sys, name, "") for name in ("prefix", "base_prefix", "exec_prefix", "base_exec_prefix")]
    return {"executable": sys.executable, "python": platform.python_implementation() + " " + platform.python_version(),
            "reads": sorted(set(path for path in prefixes + sys.path + list(editable_folders()) if path and os.path.exists(path)))}


def program_kind(path):
    """Bits and processor of a program or a library: class and machine of ELF."""
    with open(path, "rb") as file:
        head = bytearray(file.read(20))
    return (32 if head[4] == 1 else 64), head[18] + 256 * head[19]


def worker_reason(library):
    """Why this interpreter cannot be a worker by the library; None: it can."""
    import platform

    least = ".".join(map(str, LEAST_WORKER))
    if platform.python_implementation() != "CPython":
        return "cannot be a worker: that takes CPython %s or newer" % least
    if sys.version_info[:2] < LEAST_WORKER:
        return "is too old for a worker: that takes Python %s or newer" % least
    (bits, machine), (own_bits, own_machine) = program_kind("/proc/self/exe"), program_kind(library)
    if bits != own_bits:
        return "cannot be a worker: it is a program of %d bits, asctune one of %d" % (bits, own_bits)
    if machine != own_machine:
        return "cannot be a worker: it is a program for another processor than asctune"
    try:
        import ctypes
    except ImportError as e:
        return "cannot be a worker, which loads its library by ctypes: %s" % e
    try:
        ctypes.CDLL(library).asctune_worker_serve
    except (OSError, AttributeError) as e:
        return "cannot load the library of a worker: %s" % e
    return None


def print_facts(library):
    import json

    facts, reason = {"interpreter": interpreter_facts()}, worker_reason(library)
    if reason:
        facts["reason"] = reason
    print(json.dumps(facts))

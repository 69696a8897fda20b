"""Imports the file of a workload. The text follows that of triton_helper.py or python_call.py."""

import hashlib
import importlib.util
import os
import re
import sys
import types

OWN_PACKAGE = "asctune_"  # begins the names of packages that hold files


def without_package(text):
    """A text without the names of such packages, which an exception's class has: no user has given them."""
    return re.sub(OWN_PACKAGE + r"[0-9a-f]{8}\.kernels\.", "", text)


def package_of(folder):
    """A package of the folder, in one of the folder around it: `from ..rows import walk` finds the file rows.py there. Neither name is one of another package."""
    name = f"{OWN_PACKAGE}{hashlib.sha1(folder.encode()).hexdigest()[:8]}"
    for package, path in ((name, os.path.dirname(folder)), (f"{name}.kernels", folder)):
        if package not in sys.modules:
            sys.modules[package] = types.ModuleType(package)
            sys.modules[package].__path__ = [path]
    return f"{name}.kernels"


def import_file(path, place):
    """The module of a file, which finds those beside it; once in a process. Its folder comes to that place of sys.path, 0 being before the libraries."""
    folder, stem = os.path.dirname(path), os.path.splitext(os.path.basename(path))[0]
    name = f"{package_of(folder)}.{stem}"
    if name in sys.modules:
        return sys.modules[name]
    if folder not in sys.path:
        sys.path.insert(place, folder)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module

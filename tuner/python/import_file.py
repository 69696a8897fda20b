"""Imports the file of a workload. The text follows that of triton_helper.py or python_call.py."""

import ast
import hashlib
import importlib.machinery
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
    sys.modules[name].kernels = sys.modules[f"{name}.kernels"]  # without which an import in a function takes 2 us more each time
    return f"{name}.kernels"


def kernels_of(name):
    """The package of the folder that a module belongs to, one of the folder around it, too."""
    return f"{name.partition('.')[0]}.kernels"


class FolderFinder:
    """Finds the modules of such packages. Folders that have files of one name, such as two commits of one folder, share none: no folder is on sys.path."""

    def __init__(self):
        self.before = {}  # where the libraries lie that come before a folder's files, by its package

    def find_spec(self, name, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path, target) if kernels_of(name) in self.before else None
        if spec and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = FolderLoader(name, spec.origin)
        return spec

    def has(self, package, top):
        """Whether `import top` in a file of the package means one beside it."""
        find = importlib.machinery.PathFinder.find_spec
        if package not in self.before or top in sys.builtin_module_names or find(top, self.before[package]):
            return False
        return find(f"{package}.{top}", sys.modules[package].__path__) is not None


class FolderLoader(importlib.machinery.SourceFileLoader):
    """Loads a file whose imports, those within functions among them, mean files beside it where there are such: `import rows` is read as `import PACKAGE.rows as rows`."""

    def get_code(self, name):  # never that of __pycache__, whose imports mean others
        return compile(self.get_tree(name), self.path, "exec", dont_inherit=True)

    def get_tree(self, name):
        """The text, with these names where it is one of such a package."""
        tree = ast.parse(self.get_data(self.path), self.path)
        package = kernels_of(name)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and not node.level and finder.has(package, node.module.partition(".")[0]):
                node.module = f"{package}.{node.module}"
            elif isinstance(node, ast.Import):
                node.names = [one for alias in node.names for one in names_within(package, alias)]
        return tree


def names_within(package, alias):
    """The names that an import of one stands for: `rows.walk` without another name loads that module and gives its top."""
    top, dot, _ = alias.name.partition(".")
    if not finder.has(package, top):
        return [alias]
    names = [(alias.name, alias.asname or top)] + ([(top, top)] if dot and not alias.asname else [])
    return [ast.copy_location(ast.alias(f"{package}.{name}", bound), alias) for name, bound in names]


libraries = list(sys.path)  # before a file adds to it
standard = [path for path in libraries if f"{path}{os.sep}".startswith(os.path.dirname(os.__file__) + os.sep) and not path.endswith("-packages")]
finder = FolderFinder()
sys.meta_path.insert(0, finder)


def import_file(path, before):
    """The module of a file, which finds those beside it; once in a process. Libraries of the places `before` come before these."""
    package, stem = package_of(os.path.dirname(path)), os.path.splitext(os.path.basename(path))[0]
    name = f"{package}.{stem}"
    if name in sys.modules:
        return sys.modules[name]
    finder.before[package] = before
    spec = importlib.util.spec_from_file_location(name, path, loader=FolderLoader(name, path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module

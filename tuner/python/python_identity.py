"""What functions of Python consist of. `python -c TEXT identity ANSWER TORCH PLACE...` imports the module of these places, and PyTorch unless TORCH is "", as a worker does, and
writes the file ANSWER: the libraries whose modules are loaded then, or that a file of no library names in an import, with those that they require; the files of no library; and whatever that was found out from. The
text follows that of python_worker.py."""

import base64
import hashlib
import re
import sysconfig

MODULES = (".py", ".so", ".pyc", ".pyd", ".abi3.so")


def canonical(name):
    """https://packaging.python.org/en/latest/specifications/name-normalization/"""
    return re.sub(r"[-_.]+", "-", name).lower()


def stat_of(path):
    try:
        return os.stat(path)
    except OSError:
        return None


class Distribution:
    """An installed distribution: its RECORD, as far as it can be read, or the folder where it is edited."""

    def __init__(self, found):
        self.found = found
        self.folder = str(getattr(found, "_path", "")) or None  # .dist-info or .egg-info
        self.name = canonical(found.metadata["Name"] or os.path.basename(self.folder or "unknown"))
        self.version = found.version or "unknown"
        self.rows, self.broken, self.edited = {}, None, self.find_edited()
        self.loaded, self.own = [], []  # files of RECORD; and those that count by content
        try:
            text = found.read_text("RECORD")
        except (OSError, UnicodeDecodeError) as e:
            text, self.broken = None, f"it cannot be read ({type(e).__name__})"
        self.take_rows(text)

    def find_edited(self):
        """PEP 610."""
        try:
            said = json.loads(self.found.read_text("direct_url.json") or "{}")
            editable, url = said.get("dir_info", {}).get("editable"), said.get("url", "")
        except Exception:
            return None
        if not editable or not url.startswith("file://"):
            return None
        from urllib.parse import unquote

        return os.path.realpath(unquote(url[len("file://"):]))

    def take_rows(self, text):
        """https://packaging.python.org/en/latest/specifications/recording-installed-packages/#the-record-file"""
        if text is None:
            return
        base, number = os.path.realpath(str(self.found.locate_file(""))), 0
        for number, line in enumerate(text.splitlines(), 1):
            parts = line.rsplit(",", 2)
            if len(parts) != 3 or (parts[1] and "=" not in parts[1]) or (parts[2] and not parts[2].isdigit()):
                self.broken = f"line {number} is no file, digest and size"
                return
            self.rows[os.path.normpath(os.path.join(base, parts[0].strip('"')))] = parts[0], parts[1], parts[2]
        if number == 0:
            self.broken = "it is empty"

    def check(self):
        if self.broken:
            raise Refusal(f"the RECORD of {self.name} {self.version} is broken: {self.broken} ({self.folder})", "absent")

    def names(self):
        """Of the modules at its top."""
        try:
            text = self.found.read_text("top_level.txt") or ""
        except Exception:
            text = ""
        return {self.name.replace("-", "_"), *text.split()}

    def has_changed(self, path):
        """Whether a file is another one than RECORD says. One that is as old and as long is not read."""
        _, digest, size = self.rows[path]
        now, record = stat_of(path), stat_of(os.path.join(self.folder, "RECORD")) if self.folder else None
        if not digest.startswith("sha256=") or now is None:
            return False
        if record and now.st_mtime <= record.st_mtime and (not size or now.st_size == int(size)):
            return False
        with open(path, "rb") as file:
            found = base64.urlsafe_b64encode(hashlib.sha256(file.read()).digest()).rstrip(b"=").decode()
        return found != digest[len("sha256="):]

    def digest(self):
        """Of the files that RECORD lists, without those that differ where it is installed, such as programs that name the interpreter; and of those by content."""
        h = hashlib.sha256()
        for name, digest, _ in sorted(self.rows.values()):
            if digest and not name.startswith(("..", "/")) and ".dist-info/" not in name:
                h.update(f"{name},{digest}\n".encode())
        add_contents(h, self.own)
        return h.hexdigest()

    def stamps(self):
        return [os.path.join(self.folder, name) for name in ("RECORD", "METADATA", "direct_url.json")] if self.folder else []


def add_contents(h, paths):
    """The place of a file is not a part of what it is, its name is."""
    for path in sorted(paths):
        with open(path, "rb") as file:
            h.update(f"{os.path.basename(path)} {hashlib.sha256(file.read()).hexdigest()}\n".encode())


def distributions():
    """The first of each name on sys.path is what is imported."""
    from importlib import metadata

    found = {}
    for one in metadata.distributions():
        try:
            d = Distribution(one)
        except Exception:  # without a name or a version it is none
            continue
        found.setdefault(d.name, d)
    return found


def is_below(path, folder):
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def is_of_python(path):
    for folder in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}:
        folder = os.path.realpath(folder)
        if is_below(path, folder):
            return not os.path.relpath(path, folder).startswith(("site-packages", "dist-packages"))
    return False


def loaded_files(before):
    """Module and file of what was loaded since, but for the interpreter's own. Some modules only look like files."""
    for name, module in list(sys.modules.items()):
        if before.get(name) is module:
            continue
        try:
            path = module.__file__
        except Exception:
            continue
        if isinstance(path, str) and os.path.isabs(path) and os.path.isfile(path):
            path = os.path.realpath(path)
            if not is_of_python(path):
                yield name, path


def names_in(name, path):
    """Names of what a module's text imports anywhere, in functions that were not called, too: of modules, and of what may be one."""
    try:
        tree = FolderLoader(name, path).get_tree(name)
    except (OSError, SyntaxError, ValueError):
        return
    package = name if os.path.basename(path) == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            around = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(filter(None, [around, node.module]))
            yield from (".".join(filter(None, [base, alias.name])) for alias in node.names)


def named_files(name, path):
    """Module and file of what such imports would load, with the packages around it. Nothing is imported for that."""
    for wanted in set(names_in(name, path)) if path.endswith(".py") else ():
        folders, parts = None, wanted.split(".")
        for one in (".".join(parts[:n]) for n in range(1, len(parts) + 1)):
            if one in sys.modules:
                folders = getattr(sys.modules[one], "__path__", None)
            else:
                spec = importlib.util.find_spec(one) if folders is None else importlib.machinery.PathFinder.find_spec(one, folders)
                folders = spec and spec.submodule_search_locations
                if spec and spec.has_location and os.path.isfile(spec.origin) and not is_of_python(os.path.realpath(spec.origin)):
                    yield one, os.path.realpath(spec.origin)
            if folders is None:
                break


def add_required(used, known):
    """What the libraries that are used say that they need, where it is installed: it may be loaded later, by a first call."""
    left = list(used)
    while left:
        for need in used[left.pop()].found.requires or []:
            word = re.match(r"[A-Za-z0-9._-]+", need)
            name = canonical(word.group()) if word else ""
            if "extra ==" not in need and name in known and name not in used:
                used[name] = known[name]
                left.append(name)


def find_owner(path, known, by_file):
    if path in by_file:
        return by_file[path]
    edited = [d for d in known.values() if d.edited and is_below(path, d.edited)]
    return max(edited, key=lambda d: len(d.edited)) if edited else None


def sort_files(source, known, before):
    """Sorts what is loaded: files of distributions, with these; loose packages {name: [file]}; single loose files, the function's own first."""
    by_file = {path: d for d in known.values() for path in d.rows if path.endswith(MODULES)}
    used, packages, files, own = {}, {}, [], None
    left = list(loaded_files(before))
    seen = {path for _, path in left}
    if source.startswith("/"):
        files, own = [os.path.realpath(source)], package_of(os.path.dirname(source)).partition(".")[0]
    for name, path in left:  # which grows by what files of no library name
        top = name.partition(".")[0]
        d = find_owner(path, known, by_file)
        if d is None:
            for broken in known.values():
                if broken.broken and top in broken.names():
                    broken.check()
            if top != own and ("." in name or os.path.basename(path).startswith("__init__.")):
                packages.setdefault(top, set()).add(path)
            elif path not in files:
                files.append(path)
            for module, file in named_files(name, path):
                if file not in seen:
                    seen.add(file)
                    left.append((module, file))
            continue
        d.check()
        used[d.name] = d
        d.loaded.append(path)
        if path not in d.rows or d.has_changed(path):
            d.own.append(path)
    return used, packages, files


def versions(used, packages, known):
    rows = []
    for d in used.values():
        rows.append({"name": d.name, "version": d.version + (" edited" if d.own else ""), "digest": d.digest()})
    for name, paths in packages.items():
        h, d = hashlib.sha256(), known.get(canonical(name))
        add_contents(h, paths)
        rows.append({"name": name, "version": d.version if d else "by content", "digest": h.hexdigest()})
    return sorted(rows, key=lambda row: row["name"])


def look(source, before):
    known = distributions()
    used, packages, files = sort_files(source, known, before)
    add_required(used, known)
    for d in used.values():
        d.check()
    read = {path for d in used.values() for path in d.stamps() + d.loaded}.union(files, *packages.values())
    return {"python": interpreter_facts()["python"], "libraries": versions(used, packages, known), "files": files}, read


def find_reasons(places, torch):
    """Why functions cannot be called: {PLACE: TEXT}. Workers import PyTorch for those that take its tensors."""
    reasons = {}
    for place in places:
        try:
            find_function(place)
            if torch:
                importlib.import_module("torch")
        except ImportError as e:
            reasons[place] = f"tensors of PyTorch are asked for: {words_of(e)}"
        except Refusal as e:
            reasons[place] = str(e)
    return reasons


def identify(answer, torch, places):
    """`places` are functions of one module or file."""
    process, before = os.getpid(), dict(sys.modules)  # what an interpreter loads at its start is in all of them
    source, said, read = places[0].rpartition(":")[0], {}, set()
    settle()
    reasons = find_reasons(places, torch)
    if os.getpid() != process:  # a child that the module has forked
        os._exit(0)
    try:
        if len(reasons) < len(places):
            said, read = look(source, before)
    except Refusal as e:
        reasons = dict.fromkeys(places, str(e))
    except Exception as e:
        reasons = dict.fromkeys(places, f"what {source} consists of cannot be found: {words_of(e)}")
    read.update([sys.executable, *filter(None, sys.path), *([source, os.path.dirname(source)] if source.startswith("/") else [])])
    read.update(path for _, path in loaded_files(before))
    with open(answer + ".tmp", "w") as file:
        json.dump({**said, "places": places, "reasons": reasons, "read": sorted(read)}, file)
    os.rename(answer + ".tmp", answer)
    os._exit(0)


if sys.argv[1:2] == ["identity"]:
    identify(sys.argv[2], sys.argv[3], sys.argv[4:])

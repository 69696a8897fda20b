"""The place of an episode: a folder with database, cache and scratch files, on a small disk that can be filled, under a clock that can be
set."""

import os
import random
import shutil
import struct
import subprocess

from machine import mount_memory, unmount

DISK_BYTES, DISK_INODES = 96 << 20, 4000


def build_wrappers(folder, source):
    """The library that is preloaded into everything, or None; in a folder that LD_LIBRARY_PATH names, so that sandboxes have it."""
    os.makedirs(os.path.join(folder, "wrappers"))
    library = os.path.join(folder, "wrappers", "preload.so")
    built = subprocess.run([os.environ.get("CC") or "cc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], stderr=subprocess.PIPE)
    return library if built.returncode == 0 else None


class Place:
    def __init__(self, folder, wrappers, mounts):
        self.folder, self.wrappers, self.mounted = folder, wrappers, False
        self.disk = os.path.join(folder, "disk")
        os.makedirs(self.disk)
        if mounts:
            self.mounted = mount_memory(self.disk, "size=%d,nr_inodes=%d" % (DISK_BYTES, DISK_INODES))
        self.cache, self.scratch = os.path.join(self.disk, "cache"), os.path.join(self.disk, "tmp")
        os.makedirs(self.scratch)
        self.database = os.path.join(self.disk, "soak.db")
        self.control = os.path.join(os.path.dirname(wrappers or folder), os.path.basename(folder) + ".control")
        self.ahead_s, self.full = 0, 0
        self.write_control()

    def environment(self, home):
        said = dict(os.environ, HOME=str(home), TOKEN="secret", ASCTUNE_DB=self.database, ASCTUNE_CACHE_DIR=self.cache, TMPDIR=self.scratch, ASCTUNE_BUSY_TIMEOUT_MS="500")
        if self.wrappers:
            said["LD_LIBRARY_PATH"] = os.path.dirname(self.wrappers) + ":" + os.environ.get("LD_LIBRARY_PATH", "")
            said.update(LD_PRELOAD=self.wrappers, ASCTUNE_PASS_ENV="SOAK_*", SOAK_CONTROL=self.control, SOAK_DISK="" if self.mounted else self.disk)
        return said

    def write_control(self):
        with open(self.control, "r+b" if os.path.exists(self.control) else "wb") as f:
            f.write(struct.pack("4q", self.ahead_s, self.full, 0, 0))

    # ---- clock ----

    def set_clock(self, by_s):
        """Sets the clock of all that run and will run; False where it cannot be had."""
        self.ahead_s += by_s
        self.write_control()
        return self.wrappers is not None

    # ---- disk ----

    def fill(self, what):
        """Fills the disk's bytes or inodes; False where that cannot be had."""
        if not self.mounted:
            self.full = 1 if what == "bytes" else 2
            self.write_control()
            return self.wrappers is not None
        try:
            if what == "bytes":
                with open(os.path.join(self.disk, "filler"), "wb", buffering=0) as f:
                    while f.write(bytes(1 << 16)):
                        pass
            else:
                os.makedirs(os.path.join(self.disk, "fillers"), exist_ok=True)
                for n in range(2 * DISK_INODES):
                    open(os.path.join(self.disk, "fillers", str(n)), "w").close()
        except OSError:
            pass  # it is full
        return True

    def make_room(self):
        self.full = 0
        self.write_control()
        if os.path.exists(os.path.join(self.disk, "filler")):
            os.unlink(os.path.join(self.disk, "filler"))
        shutil.rmtree(os.path.join(self.disk, "fillers"), ignore_errors=True)

    # ---- cache ----

    def cached_files(self):
        """Files that are kept: not those of a compiler at work."""
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(self.cache) if "/tmp-" not in folder for name in names)

    def remove_cache(self, part):
        """All of it, or one file of it."""
        files = self.cached_files()
        if part == "all":
            shutil.rmtree(self.cache, ignore_errors=True)
        elif files:
            self.try_on(random.Random(part).choice(files), os.unlink)
        return bool(files)

    def corrupt_cache(self, draw):
        """Damages a file of the cache, which is no pipe yet: some bytes, its end, its time, or its kind."""
        files = [f for f in self.cached_files() if os.path.isfile(f)]
        if not files:
            return False
        path = draw.choice(files)
        return self.try_on(path, draw.choice([flip_bytes, cut_off, make_old, make_pipe]), draw)

    @staticmethod
    def try_on(path, do, *more):
        try:
            do(path, *more)
            return True
        except OSError:
            return False

    # ---- end ----

    def left_files(self):
        """Files that nobody needs any more."""
        found = [os.path.join(folder, name) for folder, _, names in os.walk(self.scratch) for name in names]
        found += [os.path.join(self.scratch, name) for name in os.listdir(self.scratch)]
        for folder, names, files in os.walk(self.cache):
            found += [os.path.join(folder, n) for n in names + files if n.startswith(("tmp-", ".asctune"))]
        found += [os.path.join(self.disk, n) for n in os.listdir(self.disk) if n not in ("soak.db", "cache", "tmp", "report.html")]
        return sorted(set(found))

    def keep(self, folder):
        """Copies the database aside, for whoever looks into a violation."""
        os.makedirs(folder, exist_ok=True)
        for name in os.listdir(self.disk):
            if name.startswith("soak.db"):
                shutil.copy(os.path.join(self.disk, name), folder)

    def close(self):
        if self.mounted:
            unmount(self.disk)
        shutil.rmtree(self.folder, ignore_errors=True)


def replace(path, content):
    """Puts a file in the place of another: whoever has that one mapped keeps it, as with a damaged disk that is read once."""
    new = path + ".damaged"
    try:
        with open(new, "wb") as f:
            f.write(content)
        os.rename(new, path)
    except OSError:
        os.unlink(new)
        raise


def flip_bytes(path, draw):
    with open(path, "rb") as f:
        content = bytearray(f.read())
    for _ in range(8):
        if content:
            content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    replace(path, content)


def cut_off(path, draw):
    with open(path, "rb") as f:
        content = f.read()
    replace(path, content[:draw.randrange(len(content) + 1)])


def make_old(path, draw):
    os.utime(path, (draw.randrange(1 << 31), draw.randrange(1 << 31)))


def make_pipe(path, draw):
    os.unlink(path)
    os.mkfifo(path)

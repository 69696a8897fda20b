"""The machine under the soak: its processes, private file systems, shared memory and the memory of its GPU."""

import ctypes
import os
import shutil
import signal
import subprocess
import time

libc = ctypes.CDLL(None, use_errno=True)

PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS, CLONE_NEWIPC = 0x20000, 0x8000000
MS_REC, MS_PRIVATE, MNT_DETACH = 0x4000, 0x40000, 2

COMPILERS = {"cc", "gcc", "clang", "c99", "cc1", "as", "collect2", "ld", "ld.bfd", "ld.gold", "ld.lld", "mold"}


# ---- processes ----


class Process:
    """A row of /proc: `name` is the program's, `words` its arguments."""

    def __init__(self, pid):
        with open("/proc/%d/stat" % pid) as f:
            head, tail = f.read().rsplit(")", 1)
        self.pid, self.name = pid, head.split("(", 1)[1]
        fields = tail.split()
        self.state, self.parent = fields[0], int(fields[1])

    @property
    def words(self):
        try:
            with open("/proc/%d/cmdline" % self.pid, "rb") as f:
                return f.read().decode(errors="replace").split("\0")[:-1]
        except OSError:
            return []

    @property
    def role(self):
        """worker, compiler, gnuplot, or other."""
        words = self.words[1:2]
        if words == ["worker"]:
            return "worker"
        if self.name in COMPILERS or words == ["compile-nvrtc"]:
            return "compiler"
        return "gnuplot" if self.name.startswith("gnuplot") else "other"

    def __str__(self):
        return "%d %s %s" % (self.pid, self.state, " ".join(self.words)[:120] or "[%s]" % self.name)


def processes():
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                found.append(Process(int(name)))
            except (OSError, IndexError, ValueError):
                pass  # it has ended
    return found


def descendants(pid):
    """Processes below `pid`, without zombies."""
    children = {}
    for p in processes():
        children.setdefault(p.parent, []).append(p)
    found, parents = [], [pid]
    while parents:
        for p in children.get(parents.pop(), []):
            parents.append(p.pid)
            if p.state not in "ZX":
                found.append(p)
    return found


def send(pid, number):
    """True when the process was there."""
    try:
        os.kill(pid, number)
        return True
    except OSError:
        return False


def adopt_orphans():
    """Makes this process the parent of whatever its descendants leave behind."""
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def orphans(known):
    """Children of this process, and theirs, that it did not start; those that have ended are reaped."""
    left = []
    for p in processes():
        if p.parent != os.getpid() or p.pid in known:
            continue
        if p.state in "ZX":
            try:
                os.waitpid(p.pid, os.WNOHANG)
            except OSError:
                pass
        else:
            left += [p] + descendants(p.pid)
    return left


def wait_for_orphans(known, seconds):
    """Orphans that are still there after that time; they are killed."""
    end = time.monotonic() + seconds
    left = orphans(known)
    while left and time.monotonic() < end:
        time.sleep(0.05)
        left = orphans(known)
    told = [str(p) for p in left]
    for p in left:
        send(p.pid, signal.SIGKILL)
    return told


def descriptors(pid):
    """What a process has open, by number."""
    found = {}
    try:
        for name in os.listdir("/proc/%d/fd" % pid):
            try:
                found[int(name)] = os.readlink("/proc/%d/fd/%s" % (pid, name))
            except OSError:
                pass
    except OSError:
        pass
    return found


# ---- file systems ----


def leave_namespaces():
    """Moves this process into a mount and an IPC namespace of its own; True where file systems can then be mounted."""
    if libc.unshare(CLONE_NEWNS | CLONE_NEWIPC) != 0:
        return False
    return libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) == 0 and mount_memory("/dev/shm", "")


def mount_memory(folder, options):
    return libc.mount(b"soak", folder.encode(), b"tmpfs", 0, options.encode()) == 0


def unmount(folder):
    libc.umount2(folder.encode(), MNT_DETACH)


# ---- shared memory ----


def shared_memory():
    """POSIX and System V segments by name."""
    names = set("/dev/shm/" + n for n in os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
    for kind in ("shm", "sem", "msg"):
        try:
            with open("/proc/sysvipc/" + kind) as f:
                names |= {"%s %s" % (kind, row.split()[1]) for row in f.read().splitlines()[1:]}
        except OSError:
            pass
    return names


# ---- a GPU ----


def ask_gpu(query):
    if not shutil.which("nvidia-smi"):
        return []
    try:
        asked = subprocess.run(["nvidia-smi", query, "--format=csv,noheader,nounits"], capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return ["nvidia-smi does not answer"]
    return asked.stdout.split("\n")[:-1]


def gpu_memory_mib():
    """Memory in use, MiB, a number for each GPU."""
    return [int(row) for row in ask_gpu("--query-gpu=memory.used") if row.strip().isdigit()]


def gpu_processes():
    """Identifiers of processes with a context; a container may not see them."""
    return set(ask_gpu("--query-compute-apps=pid"))

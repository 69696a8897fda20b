"""Tries to get out of the sandbox, or to make the coordinator say what is not so: what kernels do, what stands outside for them to find, and what must then be as it
was. tests/bench/escape has each in a run of its own; ci/soak some in each episode, beside honest kernels and all that is done to them."""

import ctypes
import os
import pathlib
import shutil
import socket
import subprocess

MARK = "escapee"  # as in kernels/tries.h

# C expressions over kernels/tries.h that are not 0 when the try has succeeded. What stands in braces is replaced.
KERNELS = {
    "read a key": 'reads("{home}/.ssh/id")',
    "read it through a link of the workload's": 'reads("{work}/link")',
    "read it through /proc": 'reads("/proc/self/root{home}/.ssh/id")',
    "read it by a descriptor of /": 'openat(open("/", O_PATH), "{home}/.ssh/id" + 1, O_RDONLY) >= 0',
    "link it into its own folder": 'link("{home}/.ssh/id", own("linked")) == 0 && reads(own("linked"))',
    "move it into its own folder": 'rename("{home}/.ssh/id", own("moved")) == 0',
    "list the home": 'opendir("{home}") != NULL',
    "write a file": 'makes("{outside}/new")',
    "append to a file": 'open("{outside}/file", O_WRONLY | O_APPEND) >= 0',
    "truncate a file": 'truncate("{outside}/file", 0) == 0',
    "remove a file": 'unlink("{outside}/file") == 0',
    "change a file's mode": 'chmod("{outside}/file", 0777) == 0',
    "make a folder": 'mkdir("{outside}/folder", 0700) == 0',
    "change its own source": 'makes("{source}")',
    "change the results": 'open("{database}", O_RDWR) >= 0',
    "poison the cache": 'makes("{cache}/artifacts/planted") || makes("{cache}/reference/planted")',
    "replace a reference": 'replaces("{cache}/reference")',
    "change the library that a later reference calls": 'patches("ldexp")',
    "connect to a port": 'connects(AF_INET, {port})',
    "send a datagram": 'socket(AF_INET, SOCK_DGRAM, 0) >= 0 || socket(AF_INET6, SOCK_DGRAM, 0) >= 0',
    "open a raw socket": 'socket(AF_PACKET, SOCK_RAW, 0) >= 0 || socket(AF_NETLINK, SOCK_RAW, 0) >= 0',
    "talk to an agent's socket": 'socket(AF_UNIX, SOCK_STREAM, 0) >= 0',
    "make a socket by io_uring": 'syscall(SYS_io_uring_setup, 4, (char[256]){{0}}) >= 0 || errno != ENOSYS',
    "leave a process": "leaves(0)",
    "leave a daemon": "leaves(1)",
    "leave a daemon of a daemon, without environment": "leaves(2)",
    "stop its coordinator": "kill(getppid(), SIGSTOP) == 0",
    "trace its coordinator": "ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0",
    "limit its coordinator": "prlimit(getppid(), RLIMIT_NPROC, &(struct rlimit){{1 << 20, 1 << 20}}, NULL) == 0",
    "lower its coordinator's priority": "setpriority(PRIO_PROCESS, getppid(), 1) == 0",
    "lower its coordinator's priority for files": "syscall(SYS_ioprio_set, 1, getppid(), 2 << 13 | 7) == 0",
    "have its coordinator run as a batch, or when nothing else does": "sched_setscheduler(getppid(), SCHED_BATCH, &(struct sched_param){{0}}) == 0 || sched_setscheduler(getppid(), SCHED_IDLE, &(struct sched_param){{0}}) == 0",
    "read its coordinator's environment": 'reads(parent("environ"))',
    "write its coordinator's memory": 'open(parent("mem"), O_RDWR) >= 0',
    "leave shared memory": "shmget(IPC_PRIVATE, 4096, 0600) >= 0 || makes(\"/dev/shm/" + MARK + '")',
    "leave a queue": "msgget(IPC_PRIVATE, 0600) >= 0",
    "read another program's shared memory": "shmat({shared}, NULL, 0) != (void *)-1",
    "remove another program's shared memory": "shmctl({shared}, IPC_RMID, NULL) == 0",
    "take a message from another program's queue": "msgrcv({queue}, (char[64]){{0}}, 8, 0, IPC_NOWAIT) >= 0",
    "remove another program's semaphores": "semctl({semaphore}, 0, IPC_RMID) == 0",
    "change a file's flags": 'ioctl(open("{source}", O_RDONLY), FS_IOC_SETFLAGS, &(int){{0}}) == 0',
    "change a file's attributes": 'syscall(469, AT_FDCWD, "{source}", (uint64_t[3]){{0x40, 0, 0}}, 24L, 0) == 0 || ioctl(open("{source}", O_RDONLY), FS_IOC_FSSETXATTR, &(struct fsxattr){{0}}) == 0',
    "give its coordinator pointers": 'write(2, (uint64_t[2048]){{[0 ... 2047] = 0x4141414141414141}}, 16384) > 0 && says("{{\\"event\\":\\"peaks\\",\\"id\\":1,\\"rows\\":[]}}\\n")',
    "end the run by a failure of the worker": 'says("{{\\"event\\":\\"failed\\",\\"of\\":\\"load\\",\\"text\\":\\"no memory\\"}}\\n")',
    "end the run by a device that opens again": 'says("{{\\"event\\":\\"ready\\",\\"of\\":\\"device\\"}}\\n{{\\"event\\":\\"lunch\\"}}\\n")',
    "end the run by a name that is too long": 'says_result(",\\"metrics\\":[{{\\"probe\\":\\"<script>alert(1)</script> and more\\",\\"name\\":\\"n\\",\\"value\\":1,\\"unit\\":\\"\\"}}]")',
    "have a result of no time": 'says_result(",\\"launches_per_sample\\":0,\\"samples_ns\\":[900,900,900,900]")',
    "withdraw another's result": "withdraws({other})",
    "have another blamed for its own end": "poses({other})",
    "go on for ever with signs of life": "lives()",
    "say more than can be read": "floods()",
    "read a token in its environment": 'getenv("TOKEN") != NULL',
    "lock the results": 'fcntl(open("{database}", O_RDONLY), F_SETLK, &(struct flock){{.l_type = F_RDLCK, .l_start = 1 << 30, .l_len = 1}}) == 0',
    "lock the cache": 'flock(open("{cache}", O_RDONLY | O_DIRECTORY), LOCK_SH) == 0 || flock(open("{source}", O_RDONLY), LOCK_SH) == 0',
    "fill pages when they are read": "syscall(SYS_userfaultfd, 1) >= 0",
    "take more memory than there is": "mmap(NULL, (size_t){memory} + (1L << 30), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED",
    "make a file larger than memory": 'ftruncate(open(own("large"), O_RDWR | O_CREAT, 0600), {memory} + (1L << 30)) == 0',
    "gain privileges by a set-user-ID program": "prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1",
    "leave a core file": 'limit(RLIMIT_CORE) != 0',
    "leave a folder that cannot be listed": "hides()",
    "leave folders too deep for a path": "digs()",
}

# Those that do not return: they pass only where the coordinator believes what they say.
NEVER_RETURN = {"have a result of no time", "end the run by a name that is too long", "go on for ever with signs of life", "say more than can be read",
                "have another blamed for its own end"}

# Those that do something to another trial, which is right and stays so.
OF_ANOTHER = {"withdraw another's result", "have another blamed for its own end"}

# Those that speak as trial 1.
FORGERS = {"have a result of no time", "end the run by a name that is too long"}

FIRST = 101  # number of the first among the hostile kernels of ci/soak
NUMBERED = dict(enumerate(KERNELS, FIRST))

# Programs that the workload's repository names; what .git is: itself, or a file that names it so that what stands before the end of the line is a link to the keys.
REPOSITORIES = {
    "have git run a program": ("", ": >{outside}/filter"),
    "have git read a key": ("keys\nrepository", "grep -q key {home}/.ssh/id && echo read"),
}

# Runs recorded as differing from their commit: there are some only where the program read a key.
GIT_READ = "SELECT 1 FROM run WHERE source_commit <> '' AND NOT source_clean"

LIBC = ctypes.CDLL(None, use_errno=True)
IPC_PRIVATE, IPC_RMID, MODE = 0, 0, 0o600


class OtherProgram:
    """What another program of the user has in memory: a segment, a queue with a message, a semaphore."""

    def __init__(self):
        self.shared = LIBC.shmget(IPC_PRIVATE, ctypes.c_size_t(4096), MODE)
        self.queue = LIBC.msgget(IPC_PRIVATE, MODE)
        self.semaphore = LIBC.semget(IPC_PRIVATE, 1, MODE)
        message = ctypes.create_string_buffer(ctypes.string_at(ctypes.byref(ctypes.c_long(1)), 8) + b"message!", 16)
        LIBC.msgsnd(self.queue, message, ctypes.c_size_t(8), 0)

    def is_whole(self):
        """Everything is still there, the message as well."""
        kept = [rows_of("shm").get(self.shared), rows_of("msg").get(self.queue), rows_of("sem").get(self.semaphore)]
        return None not in kept and kept[1][4] == "1"

    def remove(self):
        LIBC.shmctl(self.shared, IPC_RMID, None)
        LIBC.msgctl(self.queue, IPC_RMID, None)
        LIBC.semctl(self.semaphore, 0, IPC_RMID)


def rows_of(kind):
    """Rows of /proc/sysvipc by identifier."""
    rows = [row.split() for row in pathlib.Path("/proc/sysvipc", kind).read_text().splitlines()[1:]]
    return {int(row[1]): row for row in rows}


class World:
    """What is outside of the sandbox: keys in a home, a file, another program's memory, a server. `work` is the workload's folder, `source`
    the file of the kernels that try; `other` the number of a trial that is another's."""

    def __init__(self, base, work, source, cache, database, other):
        self.base, self.work, self.cache = pathlib.Path(base), pathlib.Path(work), pathlib.Path(cache)
        self.program = OtherProgram()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.setblocking(False)
        self.home, self.outside = self.base / "home", self.base / "outside"
        self.places = {"home": self.home, "outside": self.outside, "work": work, "source": source, "cache": cache, "database": database, "other": other,
                       "port": self.server.getsockname()[1], "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
                       "shared": self.program.shared, "queue": self.program.queue, "semaphore": self.program.semaphore}
        for folder in (self.home / ".ssh", self.home / ".config/tool", self.outside, self.work):
            folder.mkdir(parents=True, exist_ok=True)
        (self.home / ".ssh/id").write_text("#error the key is known\n")
        (self.home / ".config/tool/token").write_text("#error the key is known\n")
        (self.outside / "file").write_text("text\n")
        (self.work / "link").symlink_to(self.home / ".ssh/id")

    def fill(self, text):
        return text.format(**self.places)

    def write_header(self, folder, numbered):
        """Writes try.h beside tries.h: the try of each number that FAULT may have."""
        rows = ["#if FAULT == %d\n#define TRY %s\n#endif\n" % (number, self.fill(KERNELS[name])) for number, name in sorted(numbered.items())]
        pathlib.Path(folder, "try.h").write_text("".join(rows) + '#include "tries.h"\n')

    def make_repository(self, name):
        """Makes the workload's folder a repository that names a program for git to run."""
        elsewhere, program = REPOSITORIES[name]
        (self.work / "filter").write_text("#!/bin/sh\n" + self.fill(program) + "\nexec cat\n")
        (self.work / "filter").chmod(0o755)

        def git(*words):
            subprocess.run(["git", "-c", "user.name=e", "-c", "user.email=e@e", *words], cwd=self.work, check=True, capture_output=True)

        git("init", "-q")
        git("add", ".")
        git("commit", "-q", "-m", "e")
        git("config", "filter.e.clean", str(self.work / "filter"))
        (self.work / ".git/info/attributes").write_text("*.c filter=e\n")
        for source in self.work.rglob("*.c"):
            source.touch()
        if elsewhere:
            (self.work / ".git").rename(self.work / elsewhere)
            (self.work / ".git").write_text(f"gitdir: {elsewhere}")
            (self.work / elsewhere.split("\n")[0]).symlink_to(self.home / ".ssh")

    def is_connected(self):
        try:
            self.server.accept()[0].close()
            return True
        except BlockingIOError:
            return False

    def changes(self):
        """What is not as it was."""
        file = self.outside / "file"
        whole = file.exists() and file.read_text() == "text\n" and file.stat().st_mode & 0o777 == 0o644
        checks = {
            "a connection was made": self.is_connected(),
            "a reference was replaced": any(MARK.encode() in read_bytes(p) for p in self.cache.glob("reference/*")),
            "the key is gone": not (self.home / ".ssh/id").exists(),
            "something was written": sorted(p.name for p in self.outside.iterdir()) != ["file"],
            "a file was changed": not whole,
            "another program's memory was touched": not self.program.is_whole(),
        }
        return [what for what, found in checks.items() if found]

    def close(self):
        self.server.close()
        self.program.remove()


def read_bytes(path):
    """A file of the cache, b"" for one that is none."""
    return path.read_bytes() if path.is_file() else b""


def has_git():
    return shutil.which("git") is not None

"""Serves the compiler whose texts precede this one: each source's code runs in a process of its own, forked once Triton is imported."""

import errno
import fcntl

LOG_CHARACTERS = 40000
SOURCES = 4  # that have a process: each takes the memory of a compile
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
SCARCE = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)  # processes, memory, files: the machine's, so no verdict on the kernel


def cut(text):
    """The text as JSON can have it, and not too long: half of a surrogate pair stands for bytes that are no UTF-8."""
    text = text.encode("utf-8", "replace").decode().replace("\0", " ")
    if len(text) <= LOG_CHARACTERS:
        return text
    half = LOG_CHARACTERS // 2
    return text[:half] + "\n...\n" + text[-half:]


def compiled(outcome, log="", metadata=None):
    return {"event": "compiled", "outcome": outcome, "log": cut(log), "metadata": metadata}


def failed(status, text):
    return {"event": "failed", "status": status, "text": cut(text)}


class Kernels:
    """A process that has run the code of one source: it looks at kernels of it and compiles them."""

    def __init__(self):
        self.files = {}  # of kernels that were found, with their stamps

    def is_stale(self):
        return any(stamp(path) != known for path, known in self.files.items())

    def take(self, words):
        output, source, entry, digest, arch, text = words
        if output == "-" and self.is_stale():
            return None
        kernel = load(source, entry)
        facts = describe(kernel)
        for path in facts["files"]:
            self.files.setdefault(path, stamp(path))
        if digest and facts["digest"] != digest:
            return None if self.is_stale() else failed("input", f"{source} was changed while it was being tuned")
        request = json.loads(text)
        prepared = request and Prepared(kernel, arch, request)
        if output == "-":
            return compiled("built", metadata=facts)
        outcome, metadata = compile_kernel(prepared, output)
        return compiled(outcome, metadata=metadata)

    def answer(self, words):
        """None where files were changed since they were imported: another process is to answer."""
        try:
            return self.take(words)
        except Absence as e:
            return compiled("refused", f"error: {e}", {"absent": True})
        except MemoryError:
            return failed("nomem", "out of memory")
        except Trouble as e:
            return failed("child", str(e))
        except OSError as e:
            if e.errno in FULL:
                return failed("full", e.strerror)
            return failed("child", e.strerror) if e.errno in SCARCE else compiled("refused", reason_of(e))
        except BaseException as e:  # a kernel's compile-time code may raise anything
            return compiled("refused", reason_of(e))

    def serve(self, own):
        process = os.getpid()
        with os.fdopen(own, "rb") as channel:
            for line in channel:
                answer = self.answer(json.loads(line)["words"])
                if os.getpid() != process:
                    os._exit(0)
                sys.stdout.flush()
                sys.stderr.flush()
                write_all(own, json.dumps(answer).encode() + b"\n")


class Server:
    """Hands each command to a process that has run the code of its source and no other's: a module can change all that Python has loaded."""

    def __init__(self, own):
        self.own = own
        self.settled = False
        self.children = {}  # process and channel of each source, the one that was asked last at the end

    def start(self):
        import socket

        here, there = socket.socketpair()
        process = os.fork()
        if process == 0:
            own = fcntl.fcntl(there, fcntl.F_DUPFD_CLOEXEC, 10)
            for channel in (self.own, here.detach(), there.detach(), *(channel.detach() for _, channel in self.children.values())):
                os.close(channel)
            try:
                Kernels().serve(own)
            finally:
                os._exit(0)
        there.close()
        return process, here

    def drop(self, source):
        process, channel = self.children.pop(source)
        channel.close()
        os.kill(process, 9)
        os.waitpid(process, 0)

    def ask(self, source, line):
        """The answer of the source's process, which is started where there is none; the one that was asked least recently goes for it."""
        process, channel = self.children.pop(source, None) or self.start()
        self.children[source] = process, channel
        if len(self.children) > SOURCES:
            self.drop(next(iter(self.children)))
        write_all(channel.fileno(), line)
        with channel.makefile("rb") as answers:
            return answers.readline() or end_as(process)

    def answer(self, line):
        words = json.loads(line).get("words")
        try:
            if not self.settled:
                settle()
                self.settled = True
        except BaseException as e:
            if words:  # else the first kernel tells
                return json.dumps(compiled("refused", reason_of(e))).encode() + b"\n"
        if not words:
            return b'{"event": "ready"}\n'
        source = words[1].partition(".")[0] if is_module(words[1]) else words[1]  # a package is one's work
        while (answer := self.ask(source, line)) == b"null\n":
            self.drop(source)
        return answer


def end_as(process):
    """Ends this process as another one has ended."""
    import contextlib
    import signal

    status = os.waitpid(process, 0)[1]
    if os.WIFSIGNALED(status):
        with contextlib.suppress(OSError):  # of SIGKILL
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def write_all(fd, text):
    while text:
        text = text[os.write(fd, text):]


def serve():
    for name in [name for name in os.environ if name.startswith(VARIABLES)]:
        del os.environ[name]
    os.nice(5)
    own = fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, 10)  # out of the way of modules that close what they find
    os.close(3)
    os.register_at_fork(after_in_child=lambda: compiling and os._exit(0))  # a compile has one process
    server = Server(own)
    with os.fdopen(own, "rb") as channel:
        for line in channel:
            write_all(own, server.answer(line))


if sys.argv[1:2] == ["probe"]:
    probe()
elif sys.argv[1:2] == ["serve"]:
    serve()

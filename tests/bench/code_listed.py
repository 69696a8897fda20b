"""How often each opcode stands in a file of machine code, as objdump or nvdisasm lists it."""
import collections
import os
import pathlib
import re
import shutil
import subprocess

PREFIXES = set("lock rep repz repnz repe repne bnd notrack data16 addr32 cs ds es fs gs ss xacquire xrelease".split())
NOT_OURS = set("_init _fini _start deregister_tm_clones frame_dummy register_tm_clones call_weak_fn __do_global_dtors_aux".split())


def listed_object(path):
    """Of an object with a launch, the functions that it may come to; of another, all that its source made."""
    functions, function, section = {}, "", ""
    for line in subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True).stdout.splitlines():
        head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if line.startswith("Disassembly of section "):
            section = line.split()[-1]
        elif head:
            function = head[1]
        elif re.match(r"\s+[0-9a-f]+:\t", line) and section.startswith(".text") and function not in NOT_OURS:
            functions.setdefault(function, []).append(line.split("\t", 1)[1])
    reached, open_ = set(), ["asctune_launch"] if "asctune_launch" in functions else list(functions)
    while open_:
        reached.add(one := open_.pop())
        named = set(re.findall(r"<([^>+@-]+)", "\n".join(functions[one])))
        open_ += (named & functions.keys()) - reached
    counts = collections.Counter()
    for line in (line for name in reached for line in functions[name]):
        words = line.split()
        while len(words) > 1 and words[0] in PREFIXES:
            words = words[1:]
        counts[words[0]] += 1
    return counts


def listed_cubin(nvdisasm, path):
    counts = collections.Counter()
    for line in subprocess.run([nvdisasm, "-c", path], capture_output=True, text=True, check=True).stdout.splitlines():
        word = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?([A-Z0-9_]+)", line)
        if word:
            counts[word[1]] += 1
    return counts


def find_nvdisasm():
    python = os.environ.get("ASCTUNE_PYTHON", "")
    near = sorted(pathlib.Path(python).parents[1].glob("lib/python3*/site-packages/triton/backends/nvidia/bin/nvdisasm")) if python else []
    return shutil.which("nvdisasm") or (str(near[0]) if near else None)


def listed(path, nvdisasm):
    """Counts of a cubin or of a shared object."""
    return listed_object(path) if pathlib.Path(path).suffix == ".so" else listed_cubin(nvdisasm, path)

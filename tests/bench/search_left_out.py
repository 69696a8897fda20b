"""Scores of the strategy `model` on kernels that its settings were not chosen on: tests/bench/search --only left-out

Its settings are constants of tuner/tune/search/model.c. For each kernel in turn the one of a few settings is chosen that scores best on
the other kernels, and its score on the kernel left out is printed beside that of the constants as they are, which were chosen on
all. A setting is a program of its own: asctune linked with a model.c in which constants were replaced.
"""
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

AS_IT_IS = "as it is"
SETTINGS = {
    AS_IT_IS: {},
    "12 far questions first": {"FIRST": "12"},
    "far questions later: each fourth": {"FAR_EVERY": "4"},
    "0.15 of the questions near the best": {"LOCAL": "0.15"},
    "0.6 of the questions near the best": {"LOCAL": "0.6"},
    "0.25 of the questions by gaps": {"GAPS": "0.25"},
    "0.75 of the questions by gaps": {"GAPS": "0.75"},
    "half the deviations": {"DEVIATIONS": "{1.5F, 2}"},
    "twice the deviations": {"DEVIATIONS": "{6, 8}"},
}


def replace(text, name, value):
    """The source with another value of a constant, which must be there once: NAME = VALUE, or NAME[..] = {..}."""
    text, n = re.subn(rf"(\b{name}\b(?:\[\w+\])? = )(\{{[^}}]*\}}|[^,;{{}}]+)", lambda m: m[1] + value, text)
    if n != 1:
        sys.exit(f"search: tuner/tune/search/model.c has {n} constants {name}, expected one")
    return text


def commands_of(build):
    """The commands that make asctune, its link last."""
    done = subprocess.run(["ninja", "-C", build, "-t", "commands", "asctune"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def make(root, build, folder, constants):
    """asctune with these constants: the linker takes the first definition of the strategy, before those of libraries. Commands are
    Ninja's, which are a shell's."""
    text = (root / "tuner/tune/search/model.c").read_text()
    for name, value in constants.items():
        text = replace(text, name, value)
    source, made, program = folder / "model.c", folder / "model.o", folder / "asctune"
    folder.mkdir()
    source.write_text(text)
    commands = commands_of(build)
    compiled = next(line for line in commands if line.endswith("/tuner/tune/search/model.c"))
    compiled = re.sub(r" -MD| -M[TF] \S+", "", compiled)
    subprocess.run(re.sub(r" -o \S+ -c \S+", f" -o {made} -c {source}", compiled), shell=True, cwd=build, check=True)
    subprocess.run(commands[-1].replace(" -o asctune ", f" {made} -o {program} "), shell=True, cwd=build, check=True)
    return program


def kernel_of(name):
    return name.split("__")[0]


def means_of(scores):
    """The mean of each kernel's files."""
    kernels = sorted({kernel_of(name) for name in scores})
    return {k: statistics.mean(s for name, s in scores.items() if kernel_of(name) == k) for k in kernels}


def choose(means, kernel):
    """The setting with the best mean of the other kernels."""
    return max(means, key=lambda setting: statistics.mean(m for k, m in means[setting].items() if k != kernel))


def print_left_out(root, build, score):
    """score(program) gives the score of each file."""
    means = {}
    with tempfile.TemporaryDirectory(prefix="asctune-bench.") as folder:
        programs = {setting: make(root, build, pathlib.Path(folder) / str(i), constants)
                    for i, (setting, constants) in enumerate(SETTINGS.items())}
        for setting, program in programs.items():
            means[setting] = means_of(score(program))
            print(f"  {setting + ':':40}", *(f"{k} {m:.3f}" for k, m in means[setting].items()), flush=True)
    kernels = list(means[AS_IT_IS])
    chosen = {kernel: choose(means, kernel) for kernel in kernels}
    for kernel in kernels:
        print(f"  without {kernel}: {chosen[kernel]}; on it {means[chosen[kernel]][kernel]:.3f}, {AS_IT_IS} {means[AS_IT_IS][kernel]:.3f}")
    left_out = statistics.mean(means[chosen[kernel]][kernel] for kernel in kernels)
    print(f"{'mean of kernels that the setting was not chosen on':64} {left_out:9.4g}  {AS_IT_IS} {statistics.mean(means[AS_IT_IS].values()):.4g}")

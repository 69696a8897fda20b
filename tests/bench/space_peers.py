"""One search space with one peer of asctune, in a process of its own: space_peers.py PEER FILE prints one JSON object.

Times are CPU milliseconds of this process, from after its imports on; so is the memory beside the peak what the
imports took. Each peer is used as its manual says, with what is fastest of it: Kernel Tuner's default solver, whose
result is a list of tuples; pyATF's tree with access by index, each condition at the last of its parameters.
"""
import ast
import gc
import itertools
import json
import random
import resource
import sys
import time

SAMPLES = 1000


def read_space(path):
    with open(path) as file:
        space = json.load(file)["ConfigurationSpace"]
    parameters = {p["Name"]: ast.literal_eval(p["Values"]) for p in space["TuningParameters"]}
    return parameters, [c["Expression"] for c in space.get("Conditions", [])]


def peak_kib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class KernelTuner:
    def __init__(self):
        from kernel_tuner.searchspace import Searchspace
        self.make = Searchspace

    def build(self, parameters, conditions):
        # No device is asked, so no limit on the threads of a block is added to the conditions.
        self.space = self.make(parameters, conditions, max_threads=sys.maxsize)

    def count(self):
        return self.space.size

    def sample(self):
        size = min(SAMPLES, self.space.size)
        return self.space.get_random_sample(size)

    def list(self):
        return self.space.list


class PyAtf:
    def __init__(self):
        from pyatf.range import Set
        from pyatf.search_space import SearchSpace
        from pyatf.tp import TP
        self.set, self.make, self.parameter = Set, SearchSpace, TP

    def build(self, parameters, conditions):
        place = {name: at for at, name in enumerate(parameters)}
        due = {name: [] for name in parameters}
        for text in conditions:
            names = {n.id for n in ast.walk(ast.parse(text, mode="eval")) if isinstance(n, ast.Name)}
            due[max(names, key=place.get)].append((text, names))
        self.space = self.make(*[self.parameter(name, self.set(*values), self.constraint(name, due[name]))
                                 for name, values in parameters.items()], enable_1d_access=True, verbosity=0)

    @staticmethod
    def constraint(name, due):
        names = sorted({name}.union(*[n for _, n in due]))
        text = " and ".join("(%s)" % t for t, _ in due)
        return eval("lambda %s: %s" % (", ".join(names), text)) if due else None

    def count(self):
        return self.space.constrained_size

    def sample(self):
        size = self.space.constrained_size
        return [self.space.get_configuration(random.randrange(size)) for _ in range(SAMPLES)]

    def list(self):
        # A tree without conditions is one node with its values; of the others the leaves are stored.
        parts = [leaves or [(value,) for value in tree.root.get_child(0).data]
                 for tree, leaves in zip(self.space.cot, self.space._partial_leaf_configs)]
        return [sum(leaves, ()) for leaves in itertools.product(*parts)]


PEERS = {"kernel_tuner": KernelTuner, "pyatf": PyAtf}


def timed(function, *arguments):
    before = time.process_time()
    result = function(*arguments)
    return (time.process_time() - before) * 1e3, result


def main(peer, path):
    tool = PEERS[peer]()
    parameters, conditions = read_space(path)
    gc.collect()
    random.seed(1)
    import_kib = peak_kib()
    build_ms, _ = timed(tool.build, parameters, conditions)
    count_ms, count = timed(tool.count)
    sample_ms, sample = timed(tool.sample)
    list_ms, listed = timed(tool.list)
    assert len(listed) == count and len(sample) > 0
    print(json.dumps({"count": count, "build_ms": build_ms + count_ms, "sample_ms": sample_ms, "list_ms": list_ms,
                      "peak_kib": peak_kib() - import_kib}))


main(*sys.argv[1:])

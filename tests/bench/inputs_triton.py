"""inputs_triton.py FAMILY...: prints, for each cheat in Triton of tests/judge, a line of JSON with what triton.autotune chooses from it and the honest kernel."""
import importlib
import json
import pathlib
import sys

import torch
import triton

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def arguments(workload, implementation, dims):
    """Tensors, scratch memory and numbers of one implementation, in order."""
    names = dict(dims, **{"__builtins__": {}})
    found = []
    for argument in implementation["arguments"]:
        if "tensor" in argument:
            tensor = workload["tensors"][argument["tensor"]]
            shape = [eval(str(size), names) for size in tensor["shape"]]
            made = torch.randn(shape, device="cuda") if tensor.get("fill", {}).get("kind") != "constant" else torch.ones(shape, device="cuda")
            found.append(made.to(TYPES[workload["problems"][-1]["dtypes"].get(tensor["dtype"], tensor["dtype"])]))
        elif "scratch" in argument:
            found.append(torch.zeros(eval(str(argument["scratch"]), names), dtype=torch.int8, device="cuda"))
        else:
            found.append(eval(str(argument["scalar"]), names))
    return found


def choose(family, workload, cheat):
    dims = workload["problems"][-1]["dims"]
    kernel = importlib.import_module(f"judge.{family}.kernel").rows
    constants = {name: eval(str(value), {"__builtins__": {}}) for name, value in cheat["constants"].items()}
    which = constants.pop("WHICH")
    tuner = triton.autotune(configs=[triton.Config({"WHICH": 0}), triton.Config({"WHICH": which})], key=[])(kernel)
    grid = (eval(str(cheat["launch"]["grid"][0]), {"__builtins__": {}}, dims),)
    tuner[grid](*arguments(workload, cheat, dims), **constants)
    torch.cuda.synchronize()
    return tuner.best_config.kwargs["WHICH"] == which


def main():
    for family in sys.argv[1:]:
        workload = json.loads((TESTS / f"judge/{family}.json").read_text())
        for cheat in workload["implementations"]:
            if not (cheat["name"].startswith("cheat-") and cheat["name"].endswith("-triton")):
                continue
            line = {"family": family, "name": cheat["name"]}
            try:
                line["chosen"] = bool(choose(family, workload, cheat))
            except RuntimeError as e:  # of the device
                line.update(chosen=False, reason=str(e).splitlines()[0])
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()

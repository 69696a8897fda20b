"""First in PYTHONPATH of what `asctune capture` and `python -m asctune` start: the recorder begins, or a table is given to kernels, as a program imports Triton;
before that nothing is imported or kept.

The sitecustomize that would have run without this one runs as well."""

import os
import sys


def record(module):
    from asctune_capture import _capture

    _capture.start(os.environ["ASCTUNE_CAPTURE"], module)


def give(module):
    import asctune

    asctune.apply(os.environ["ASCTUNE_TABLE"], os.environ.get("ASCTUNE_KERNELS") or "*")


class Watcher:
    """A finder that finds nothing by itself: it calls functions with the modules that have run."""

    modules = {}
    if os.environ.get("ASCTUNE_CAPTURE"):
        modules.update({"triton.compiler.compiler": record, "torch._inductor.runtime.triton_heuristics": record})
    if os.environ.get("ASCTUNE_TABLE"):
        modules["triton.runtime.autotuner"] = give

    def find_spec(self, name, path=None, target=None):
        if name not in self.modules:
            return None
        others = [finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec")]
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if spec and hasattr(spec.loader, "exec_module"):
            run = spec.loader.exec_module

            def run_and_tell(module):
                run(module)
                try:
                    self.modules[name](module)
                except Exception as e:  # the program's business goes on
                    print(f"asctune: {type(e).__name__}: {e}", file=sys.stderr)

            spec.loader.exec_module = run_and_tell
        return spec


def run_next():
    here = os.path.dirname(os.path.abspath(__file__))
    ours = sys.modules.pop("sitecustomize", None)
    aside = [folder for folder in sys.path if os.path.abspath(folder) == here]
    sys.path[:] = [folder for folder in sys.path if folder not in aside]
    try:
        import sitecustomize  # noqa: F401
    except ModuleNotFoundError as e:
        if e.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = ours
    finally:
        sys.path[:0] = aside


# One is enough where a capture runs in another, or a table is given under a capture: it knows all that is asked for.
if Watcher.modules and not any(type(finder).__name__ == "Watcher" and hasattr(finder, "modules") for finder in sys.meta_path):
    sys.meta_path.insert(0, Watcher())
run_next()

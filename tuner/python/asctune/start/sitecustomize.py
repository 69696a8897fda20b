"""First in PYTHONPATH of what `asctune capture` starts: the recorder begins as a program imports Triton's compiler; before that nothing is imported or kept.

The sitecustomize that would have run without this one runs as well."""

import os
import sys


class Watcher:
    """A finder that finds nothing by itself: it calls the recorder with each of `modules` that has run."""

    modules = ("triton.compiler.compiler", "torch._inductor.runtime.triton_heuristics")

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
                    from asctune_capture import _capture

                    _capture.start(os.environ["ASCTUNE_CAPTURE"], module)
                except Exception:  # the program's business goes on; that no process line is there tells
                    pass

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


if os.environ.get("ASCTUNE_CAPTURE"):
    sys.meta_path.insert(0, Watcher())
run_next()

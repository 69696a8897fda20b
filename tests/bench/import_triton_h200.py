"""Makes torch answer like on a machine with an H200, and Triton's driver likewise, in every Python that starts with this text as its sitecustomize.

Libraries ask as they are imported; nothing can be launched. The figures are the H200's."""

import importlib.abc
import importlib.machinery
import os
import sys
import types

os.environ.setdefault("GEMS_VENDOR", "nvidia")  # FlagGems asks nvidia-smi otherwise

PROPERTIES = types.SimpleNamespace(
    name="NVIDIA H200", major=9, minor=0, total_memory=150754820096, multi_processor_count=132, warp_size=32, max_threads_per_multi_processor=2048,
    regs_per_multiprocessor=65536, shared_memory_per_block=49152, shared_memory_per_block_optin=232448, L2_cache_size=62914560, gcnArchName="")


def change_torch(torch):
    answers = {"is_available": True, "device_count": 1, "current_device": 0, "get_device_properties": PROPERTIES, "get_device_capability": (9, 0),
               "get_device_name": PROPERTIES.name, "is_bf16_supported": True, "_lazy_init": None}
    for name, answer in answers.items():
        setattr(torch.cuda, name, lambda *args, answer=answer, **kwargs: answer)


def change_driver(driver):
    from triton.backends.compiler import GPUTarget

    class Driver:
        utils = types.SimpleNamespace(get_device_properties=lambda device: {
            "max_shared_mem": 232448, "multiprocessor_count": 132, "max_num_regs": 65536, "warpSize": 32})

        def get_current_target(self):
            return GPUTarget("cuda", 90, 32)

        def get_current_device(self):
            return 0

        def get_current_stream(self, device=0):
            return 0

        def get_benchmarker(self):
            return lambda fn, quantiles=None, **kwargs: [1.0, 1.0, 1.0]

    driver.driver.set_active(Driver())


CHANGES = {"torch": change_torch, "triton.runtime.driver": change_driver}


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path) if name in CHANGES else None
        if spec:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                CHANGES[name](module)

            spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Finder())

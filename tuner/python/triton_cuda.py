"""Triton kernels compiled to machine code of NVIDIA's GPUs, by Triton 3.4 to 3.9. The text follows that of triton_helper.py."""

DISTRIBUTION = "Triton"
SWIZZLES = ("none", "32B", "64B", "128B")
OPTIONS = CUDA_OPTIONS
NUMBERS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
PLAIN_SHARED = 48 << 10  # bytes beyond which Triton asks for the largest part of the cache
SHOWN = ("num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "launch_pdl", "launch_cooperative_grid")


# ---- facts ----


def find_tools(facts, folder, version):
    numbers, assemblers = version.split(".")[:2], []
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "backends", "nvidia", "bin", "ptxas*"))):
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
        assemblers.append(os.path.basename(path) + " " + said.strip().rpartition(" V")[2].partition("\n")[0])
    facts["tools"] = ", ".join(assemblers)
    if not all(n.isdigit() for n in numbers) or not (3, 4) <= tuple(map(int, numbers)) <= (3, 9):
        raise Refusal(f"has Triton {version}, expected 3.4 to 3.9")


# ---- options ----


def arch_number(prepared):
    return int("".join(c for c in prepared.arch if c.isdigit()))


def take_option(prepared, name, value):
    if name == "maxnreg" and not value:  # 0 is no limit
        return
    if name in NUMBERS and (type(value) is not int or value < 0):
        raise Refusal(f"{name} is {json.dumps(value)}, expected a whole number")
    if name in ("num_warps", "num_ctas") and (value < 1 or value & (value - 1)):
        raise Refusal(f"{name} is {value}, expected a power of two")
    if name == "num_ctas" and value > 1 and arch_number(prepared) < 90:
        raise Refusal(f"num_ctas is {value}, and {prepared.arch} has no clusters")
    prepared.options[name] = value


# ---- compiling ----

def observe_stages(backend):
    """Wraps the stages of a backend: shared memory is held to the limit before the assembler starts, and its text is kept."""
    add_stages = backend.add_stages

    def add_observed_stages(self, stages, options, *rest):
        add_stages(self, stages, options, *rest)
        lower, assemble = stages["llir"], stages["cubin"]

        def check_shared(module, metadata):
            text = lower(module, metadata)
            if compiling["limit"] and metadata["shared"] > compiling["limit"]:
                raise Refusal(f"a block wants {metadata['shared']} bytes of shared memory and can have {compiling['limit']}")
            return text

        def keep_text(module, metadata):
            compiling["ptx"] = module
            return assemble(module, metadata)

        stages["llir"], stages["cubin"] = check_shared, keep_text

    backend.add_stages = add_observed_stages


def settle():
    """Makes Triton ready for the first kernel. It would read half a gigabyte of its own for a key of a cache that is not used."""
    import triton
    import triton.compiler.compiler as compiler
    import triton.runtime.cache as cache
    from triton.backends import backends

    for module in (compiler, cache):
        if hasattr(module, "triton_key"):
            module.triton_key = lambda: "asctune"
    if "nvidia" in backends:
        observe_stages(backends["nvidia"].compiler)


def parameter_bytes(ptx):
    """Sizes of the kernel's parameters, as the assembler's text declares them."""
    head = re.search(r"\.entry\s+[\w$]+\s*\((.*?)\)", ptx, re.DOTALL).group(1)
    return [int(bits) // 8 * int(count or 1) for bits, count in re.findall(r"\.param\s+(?:\.align\s+\d+\s+)?\.[busf](\d+)[^,\[]*(?:\[(\d+)\])?", head)]


def extents(place, rank, size_type):
    return [{"size": place, "axis": i, "type": size_type} for i in range(rank)] + [{"stride": place, "axis": i, "type": "i64"} for i in range(rank)]


def descriptor_parameters(place, rank, meta, flags):
    """Parameters that stand for a host descriptor: a tensor map from sm_90 on, else (`meta` None) its parts twice, with `flags` bytes between them."""
    if meta is None:
        return [{"argument": place}, *extents(place, rank, "i64"), *([{"constant": 0, "type": "u8"}] * flags), *extents(place, rank, "i32")]
    if meta.get("fp4_padded") or meta.get("is_im2col"):
        raise Refusal("descriptors of padded 4-bit types and of im2col are not supported")
    return [{"descriptor": place, "box": list(meta["block_size"]), "swizzle": SWIZZLES[meta["swizzle"]]}, *extents(place, rank, "i32")]


def kernel_parameters(prepared, metadata, flags):
    out, maps = [], list(metadata.get("tensordesc_meta") or [])
    for place, argument, kind in prepared.passed:
        if "descriptor" in argument:
            out += descriptor_parameters(place, len(argument["box"]), maps.pop(0) if maps else None, flags)
        else:
            out.append({"argument": place, **({} if kind.startswith("*") else {"type": NAMES.get(kind, kind)})})
    out.append({"scratch": True})
    if "profile_scratch_size" in metadata:
        out.append({"constant": 0, "type": "u64"})
    return out


def bytes_of(parameter):
    if "descriptor" in parameter:
        return 128
    bits = re.search(r"\d+", parameter.get("type", "u64"))
    return int(bits[0]) // 8 if bits else 1  # of a truth value


def list_parameters(prepared, metadata, ptx):
    """The kernel's parameters. Versions of Triton differ in the bytes of flags within a lowered descriptor: the assembler's text tells."""
    declared = parameter_bytes(ptx)
    for flags in range(4):
        parameters = kernel_parameters(prepared, metadata, flags)
        if [bytes_of(p) for p in parameters] == declared:
            return parameters
    raise Refusal(f"Triton {metadata['triton_version']} has given the kernel parameters of {declared} bytes, which is no form that is known")


def launch_of(prepared, metadata, ptx):
    """Metadata of the artifact (binding/plan_metadata.h)."""
    launch = {"entry": metadata["name"], "threads": 32 * metadata["num_warps"], "shared": metadata["shared"],
              "scratch": {"bytes": metadata["global_scratch_size"], "align": metadata["global_scratch_align"]},
              "parameters": list_parameters(prepared, metadata, ptx), "options": {name: metadata.get(name) for name in SHOWN}}
    if metadata["num_ctas"] != 1:
        launch["cluster"] = list(metadata.get("cluster_dims") or (metadata["num_ctas"], 1, 1))
    truths = {"spread": "cluster" in launch, "cooperative": metadata["launch_cooperative_grid"], "programmatic": metadata["launch_pdl"],
              "prefers_shared": metadata["shared"] > PLAIN_SHARED}
    return {**launch, **{name: True for name, holds in truths.items() if holds}}


def compile_kernel(prepared, output):
    import shutil
    import tempfile
    import time

    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    folder = tempfile.mkdtemp(prefix="triton-")
    os.environ.update(TRITON_CACHE_DIR=folder, TRITON_ALWAYS_COMPILE="1", TRITON_STORE_BINARY_ONLY="1")
    compiling.update(limit=prepared.shared, ptx="")
    try:
        source = ASTSource(prepared.kernel, prepared.signature, prepared.constants, prepared.divisible)
        start = time.perf_counter_ns()
        made = triton.compile(source, target=GPUTarget("cuda", arch_number(prepared), 32), options={"enable_fp_fusion": True, **prepared.options})
        spent = time.perf_counter_ns() - start
        launch = launch_of(prepared, made.metadata._asdict(), compiling["ptx"])
        with open(output, "wb") as file:
            file.write(made.asm["cubin"])
    finally:
        compiling.clear()
        shutil.rmtree(folder, ignore_errors=True)
    launch["X-compile_ns"] = spent
    return "built", launch

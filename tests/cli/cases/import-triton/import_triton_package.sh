# Kernels cut out of packages that cannot be imported here: of a source archive, a wheel, a folder; as text, with what they name, by python3 without Triton.
# covers: cmd_import_triton.c autotune.c autotune_workload.c autotune_space.c
unset ASCTUNE_PYTHON
cp -r "$ROOT"/tests/data/package/served-1.2 .
mv served-1.2/served/layers/torn.txt served-1.2/served/layers/torn.py
touch served-1.2/served/_C.abi3.so # a C extension
tar -czf served-1.2.tar.gz served-1.2
kernels=served.layers.moe
run import-triton --package served-1.2.tar.gz $kernels:fused_kernel -o moe.json
cat moe.json moe.py
run check-workload moe.json 2>&1 | grep parameters
(cd served-1.2 && mkdir served-1.2.dist-info && mv PKG-INFO served-1.2.dist-info/METADATA && echo served/__init__.py,, >served-1.2.dist-info/RECORD && python3 -m zipfile -c ../served.whl served served-1.2.dist-info)
run import-triton --package served.whl $kernels:fused_kernel -o wheel.json
run import-triton --package served-1.2 $kernels:fused_kernel -o folder.json
cmp moe.py wheel.py
cmp moe.py folder.py
grep X-source -A4 wheel.json folder.json
PYTHONPATH=served-1.2 run import-triton $kernels:tuned_kernel -o installed.json
run import-triton --package served.whl $kernels:cached_kernel -o cached.json # the autotuner of another library
grep -e num_warps -e X-source cached.json
grep -v '^$' cached.py
PYTHONPATH=served-1.2 run import-triton $kernels:computed_kernel -o computed.json 2>&1 | sed 's|/[^ ]*/bin/[^ ]* has no|PYTHON has no|'
grep source computed.json
ls *.py
echo "# what cannot be cut"
for kernel in computed called extended lacking twice; do run import-triton --package served.whl $kernels:${kernel}_kernel -o no.json; done
run import-triton --package served.whl $kernels:fussed_kernel -o no.json
run import-triton --package served.whl served.layers.more:fused_kernel -o no.json
run import-triton --package served.whl served._C:fused_kernel -o no.json
run import-triton --package served.whl served.layers.torn:fused_kernel -o no.json
run import-triton --package served.whl $kernels:fused_kernel
touch no.py
run import-triton --package served.whl $kernels:fused_kernel -o no.json
echo "# packages that are broken, or would leave their folder"
head -c 900 served-1.2.tar.gz >torn.tar.gz
head -c 900 served.whl >torn.whl
python3 - <<'END'
import io, tarfile, zipfile

def archive(name, *members):
    with tarfile.open(name, "w:gz") as made:
        for member in members:
            made.addfile(member, io.BytesIO(b""))

def member(name, **facts):
    made = tarfile.TarInfo(name)
    for key, value in facts.items():
        setattr(made, key, value)
    return made

archive("up.tar.gz", member("served/../../up.py"))
archive("root.tar.gz", member("/root.py"))
archive("link.tar.gz", member("served/link.py", type=tarfile.SYMTYPE, linkname="../../link.py"))
archive("hard.tar.gz", member("served/hard.py", type=tarfile.LNKTYPE, linkname="/etc/passwd"))
with open("huge.tar", "wb") as file:
    file.write(member("served/huge.bin", size=5 << 30).tobuf())
with zipfile.ZipFile("up.whl", "w") as made:
    made.writestr("../up.py", "")
with zipfile.ZipFile("big.whl", "w", zipfile.ZIP_DEFLATED) as made:
    made.writestr("big.py", b" " * (17 << 20))
END
ln -s ../../link.py served-1.2/served/link.py
echo "x = 1" >link.py
for package in torn.tar.gz torn.whl up.tar.gz root.tar.gz link.tar.gz hard.tar.gz huge.tar up.whl none.whl; do run import-triton --package $package served.up:kernel -o no.json; done
run import-triton --package big.whl big:kernel -o no.json
run import-triton --package served-1.2 served.link:kernel -o no.json
ls no.json

# The kernels of a folder's next problem are built while the one before is measured, behind all that one asks for, and once.
# covers: cmd_run.c builds.c loop.c pool.c evaluator_worker.c
ASCTUNE_CACHE_DIR="$PWD/cache"; export ASCTUNE_CACHE_DIR
mkdir folder bin
for name in first second; do
	cp -r "$ROOT/workloads/softmax" "folder/$name"
	echo "/* $name */" >>"folder/$name/twin.c"
	sed "s|\"softmax/|\"$name/|; s/\"name\": \"softmax\"/\"name\": \"$name\"/" "$ROOT/workloads/softmax.json" >"folder/$name.json"
done
cp -r "$ROOT/workloads/npu" "$ROOT/workloads/cpu" "$ROOT/workloads/python" folder
# A compiler in front of cc keeps a list of the twins that it compiles.
printf '#!/bin/sh\necho "$*" | grep -o "[a-z]*/twin.c" >>"%s/compiled"\nexec "%s" "$@"\n' "$PWD" "$(command -v cc)" >bin/cc
chmod 755 bin/cc
PATH="$PWD/bin:$PATH" run run folder --trust --device npu:sim:Ascend910B3 --problem tiny --impl triton --cache hot --budget 3 --jobs 4 --db ahead.db >/dev/null 2>said || cat said
uniq -c compiled | sed 's/^ *//'

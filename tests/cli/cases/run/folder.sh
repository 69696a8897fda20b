# A folder: workloads that cannot be tuned, or have nothing for this device, do not keep the others from it.
# covers: workload_files.c
mkdir all broken
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" all
sed 's/"name": "axpy"/"name": "elsewhere"/; s/"devices": \["cpu"\]/"devices": ["cuda"]/' all/axpy.json >all/a.json
echo '{"asctune": 1' >broken/broken.json
tune() { asctune run "$@" --device cpu --budget 2 --db f.db --json 2>err | grep -o '"type":"summary","workload":"[a-z]*"'; asctune run "$@" --device cpu --budget 1 --db f.db >/dev/null 2>&1; echo "exit $?"; grep ^asctune: err; }
tune all
tune all --problem large
tune all --problem nothing
cp -r all/* broken; rm broken/a.json
tune broken
mkdir empty; tune empty
# no time at all is enough for one trial
asctune run "$WORKLOADS/axpy.json" --device cpu --budget 1us --db f.db --json 2>/dev/null | grep -o '"type":"summary"\|"trials":[0-9]*'

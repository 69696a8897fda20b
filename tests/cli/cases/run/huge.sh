# A problem that the memory of the machine cannot hold is refused before anything is filled.
# covers: worker_setup.c
cp -r "$WORKLOADS/axpy" .
sed 's/"N": 1000}/"N": 137438953472}/' "$WORKLOADS/axpy.json" >axpy.json
asctune run axpy.json -D cpu --budget 1 --db h.db 2>&1 >/dev/null | sed -n 's/there are .*/there are .../; /^asctune/p'

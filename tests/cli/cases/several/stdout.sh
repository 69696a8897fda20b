# `-o -` is stdout: for a page, and for an export that is one file. Workloads that are looked for are looked for in named places.
# covers: cmd_report.c cmd_export.c
export ASCTUNE_DB="$PWD/s.db"
asctune run "$WORKLOADS/axpy.json" -D cpu --budget 1 --cache hot --repeats 3 --json 2>/dev/null | grep -o '"valid":[^,]*,"cartesian":[^,]*'
asctune export json -o - 2>err | grep -c '"problem": *"small"'; cat err
asctune export csv -o - 2>err | head -1 | cut -c1-8; cat err
asctune export csv -o - | grep -c 'T[0-9:.]*Z'
asctune report -o - 2>err | grep -c '<html'; cat err
sed 's/"devices": \["cuda", "npu"\]/"devices": ["cpu"]/' "$WORKLOADS/axpy.json" >two.json; cp -r "$WORKLOADS/axpy" .
run export t1 two.json -D cpu -o - | grep -c BLOCK
run export t1 two.json -D cpu -p small -o - | grep -c '"BLOCK"'
ls
asctune list workloads --json | grep -c "workloads/gemm.json" # of the tree that was built
run runs "$WORKLOADS/axpy.json" -D cpu -p smal

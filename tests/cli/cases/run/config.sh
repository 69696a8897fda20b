# One configuration alone: built, verified, measured, recorded; what is not given is the default; a bad one says why.
# covers: cmd_run.c run_options.c trial_text.c
axpy="$WORKLOADS/axpy.json" faults="$WORKLOADS/faults.json"
export ASCTUNE_DB="$PWD/c.db"
shape() { sed -E 's/^cpu: .*/cpu/; s/(on cpu): .*/\1/; s/^(  build    )[^:]*: .* -DBLOCK/\1... -DBLOCK/; s/^(  time     ).*samples of .*/\1.../; s/^(  samples  ).*/\1.../; /were disturbed/d; s/^(  error    ).*/\1.../'; }
asctune run "$axpy" -D cpu --repeats 3 --config 'BLOCK=64, THREADS=2' 2>&1 | shape
run run "$axpy" -D cpu --config BLOCK=64,UNROLL=4
run run "$axpy" -D cpu --config BLOCK=65
run run "$axpy" -D cpu --config BLOK=64
run run "$axpy" -D cpu -p all --config BLOCK=64
run run "$axpy" -D cpu --config BLOCK=64 --resume
run run "$axpy" -D cpu --config BLOCK=64 --budget 3
run run "$WORKLOADS" -D cpu --config BLOCK=64
run run "$faults" -D cpu --config '' 2>&1 | sed 's/good, .*/.../'
# a failure: reason, command and log
asctune run "$faults" -D cpu --impl syntax --config '' >out 2>err; echo "exit $?"; grep -e result -e config -e ' -o ' out | sed 's|-I.*||; s|  build.*\(-o syntax\)|... \1|' | sed 's|#error ||' | head -3
asctune run "$faults" -D cpu --impl wrong --config "" --json 2>err | grep -o -e "\"build_command\":\[" -e "\"build_input_name\":[^,]*" -e "void asctune_launch(void" | sort -u
# recorded as any trial is, and no night of a history
sqlite3 c.db 'select strategy, budget, status, config_key from trial t join run r on r.id = t.run_id order by t.id'
asctune track --db c.db 2>&1 | head -3
# what a compiler prints of a source reaches no terminal as it is, and no line is wider than that
cp -r "$WORKLOADS/axpy.json" "$WORKLOADS/axpy" .
printf '#error "\033[31mred\033]0;title\007"\n' >>axpy/kernel.c
COLUMNS=60 asctune run axpy.json -D cpu --config BLOCK=64 --db e.db >out 2>err; echo "exit $?"
grep -o "#error.*red.*" out | head -1
LC_ALL=C grep -c "$(printf '\033')\|$(printf '\007')" out
awk 'length > 60 { n++ } END { print n + 0, "wide lines" }' out

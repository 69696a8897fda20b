# Machine code of C kernels through objdump, of configurations: what is given, the best on record, a trial; beside another one. Numbers are the compiler's and
# the processor's.
# covers: cmd_code.c code_side.c chosen_config.c object_code.c builds.c
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
export ASCTUNE_DB="$PWD/c.db" ASCTUNE_CACHE_DIR="$PWD/cache"
shape() { sed -E 's/[0-9]+( instructions)/N\1/g; s/(in vectors of up to) [0-9]+/\1 N/; s/N instructions, [0-9]+ of them in [0-9]+ innermost loops?/N instructions in loops/; s/^([a-z]+) +[0-9]+.*/\1/; s/and [0-9]+ more/and N more/; s/ [0-9]+ (only|in)/ N \1/g'; }
if ! command -v objdump >/dev/null; then # as where there is one
	cat "$CASES/code_c.out"
	exit
fi
echo '== one configuration; then nothing is on record'
asctune code axpy.json -D cpu --config default >out 2>err; echo "exit $?"; shape <out | grep -E '^axpy|instructions|^(load|store|control)$'; cat err
run code axpy.json -D cpu --config default --json | grep -oE '"kernel":"axpy"|"code_(vector|scalar|shuffle|load|store)"' | sort -u
run code axpy.json -D cpu
asctune run axpy.json -D cpu --budget 3 --strategy random --seed 1 >/dev/null 2>&1
echo '== the best on record, and a trial'
best=$(sqlite3 c.db 'select config_key from final where winner limit 1')
asctune code axpy.json -D cpu | head -n 1 | grep -c "$(echo "$best" | sed 's/.*\(BLOCK=[0-9]*\).*/\1/')"
asctune code 1 | shape | grep -E '^axpy|instructions'
echo '== a trial whose artifact is gone, and whose source is another one'
cp -r axpy axpy.before && sed -i 's/alpha \* x\[i\] + y\[i\]/alpha * x[i] - y[i]/' axpy/kernel.c
asctune code 1 >out 2>err; echo "exit $?"; cat err
rm -r cache
asctune code 1 >out 2>err; echo "exit $?"; cat err
rm -r axpy && mv axpy.before axpy
echo '== beside another one, by any of its names'
asctune code axpy.json -D cpu --config BLOCK=256,UNROLL=4 --against default >out 2>err; echo "exit $?"; shape <out | grep -E '^axpy/|^against axpy/|are in both'; cat err
asctune code axpy.json -D cpu --config default --against 1 | grep -c '^against axpy/small'
asctune code axpy.json -D cpu --config default --against default --json | grep -oE '"same_code":[a-z]*|"only_here":0,"only_there":0,"lines":\[\]'
echo '== the listing, and what C does not have'
asctune code axpy.json -D cpu --config default --what sass | grep -oE '^axpy/.*|^asctune_launch:$|  ret$' | sort -u
run code axpy.json -D cpu --config default --what ptx
run code axpy.json -D cpu --config default --what source
echo '== what is not in the space, or not there; a kernel that does not build'
run code axpy.json -D cpu --config BLOCK=63
run code axpy.json -D cpu --config BLOK=64
run code axpy.json -D cpu --impl loops --config default
run code axpy.json -D cpu --problem huge
run code axpy.json -D cpu --config default --against 77
run code 77
echo '#error "nothing"' >>axpy/kernel.c
asctune code axpy.json -D cpu --config default 2>&1 | sed 's/\(does not build\): .*/\1: REASON/'
echo '== an NPU, without objdump'
run code "$ROOT/workloads/softmax.json" -D Ascend910B3 --config default

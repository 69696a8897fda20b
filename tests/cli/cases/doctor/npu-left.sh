# Half a CANN, a profiler beside this one, a user's own preload on the stand-in for an NPU: one line says what is missing, and the rest works.
# covers: cann.c doctor_device.c
standin=$(dirname "$(command -v asctune)")/standin
tune() {
	rm -f n.db
	timeout 120 "$@" run "$ROOT/workloads/softmax.json" --device npu:sim:Ascend910B3 --problem tiny --budget 4 --no-history --trust --db n.db >out 2>err
	echo "exit $?"
	sed "s|$PWD|.|g; /^npu: /d; /^softmax/d; /^ /d; /^to dispatch/d" err
	[ ! -s n.db ] || sqlite3 n.db 'SELECT d.clock, i.name FROM run r JOIN device d ON d.id = r.device_id JOIN run_implementation x ON x.run_id = r.id JOIN implementation i ON i.id = x.implementation_id ORDER BY 2'
}
without() {
	echo "- no $1"
	rm -rf half
	mkdir half
	cp -r "$standin/libstandin.so" "$standin/head" half
	rm "half/head/lib64/$1"
	ASCTUNE_CANN=$PWD/half/head tune asctune
}
without libmspti.so
without libopapi.so
without libnnopbase.so
timeout 60 asctune doctor --device npu:sim:Ascend910B3 --cann half/head >out; echo "exit $?"
sed -n "s|$PWD|.|g; /^vendor.aclnn\|^test/p" out | tr -s ' '
without libascendcl.so
echo '- one process at a time may profile: a run does, and no other of its processes'
export STANDIN="alone=$PWD/alone"
tune asctune
echo '- another one does'
tune flock alone asctune
ASCTUNE_NPU_CLOCK=mspti tune flock alone asctune
unset STANDIN
echo '- a library that the loader does not get'
mkdir -p half/head/lib64 'h alf'
cp -r "$standin/libstandin.so" "$standin/head" half
cp -r half/* 'h alf'
truncate -s 3000 half/head/lib64/libmspti.so
ASCTUNE_CANN=$PWD/half/head tune asctune
timeout 60 asctune doctor --device npu:sim:Ascend910B3 --cann half/head >out; echo "exit $?"
sed -n "s|$PWD|.|g; /^file.libmspti\|^clock/p" out | tr -s ' '
ASCTUNE_CANN="$PWD/h alf/head" tune asctune
echo '- what is preloaded stays so, and what cannot be is the loader'"'"'s to say'
LD_PRELOAD=libz.so.1 STANDIN=fault=preload tune asctune
LD_PRELOAD=./none.so STANDIN=fault=preload tune asctune 2>&1 | grep -v 'ld.so: object'

# A table of a planner's verdicts: what a space leaves out and keeps by it, why it is not used, and tables that are refused.
# covers: binding_verdicts.c verdict_view.c cmd_space.c target.c untrusted.c
export ASCTUNE_PYTHON_NPU=/nowhere/python # who plans is the machine's affair
cp "$ROOT"/tests/limits/table/* .
sed 's/"entry": "rows",/& "verdicts": "t.csv",/' "$ROOT/tests/limits/table/rows.json" >rows.json
table() { # EDIT of the table's text
	sed "$@" >t.csv <<-END
	# asctune verdicts 1
	# kernel: rows.py rows
	# source: 9c17dbd9fbaccb751b2223ec0effb000
	# planner: Ascend910B3: triton-ascend 3.2.0, bishengir-compile 1.2.0
	# rows: 5
	target,T,arguments,BLOCK_M,BLOCK_N,ORDER,WHOLE,KIND,BIAS,WALK,verdict,space,ub,l1,l0c,retries
	Ascend910B3,f32,*f32 *f32 i32 i32 f32 i1 i32,1,1024,0,true,f32,null,true,refused,ub,,,,
	Ascend910B3,f32,*f32 *f32 i32 i32 f32 i1 i32,1,4096,0,true,f32,null,true,refused,l0c,,,,
	Ascend910B3,f32,*f32 *f32 i32 i32 f32 i1 i32,1,256,0,false,f32,null,true,refused,l1,,,,
	Ascend910B3,f32,*f32 *f32 i32 i32 f32 i1 i32,4,16384,0,true,f32,null,true,fits,,163840,,,0
	Ascend910B3,f32,*f32 *f32 i32 i32 f32 i1 i32,2,16384,0,true,f32,null,true,fits,,131072,,,1
	END
}
explain() { run space rows.json --device Ascend910B3 --problem short --explain "$1,ORDER=0,PROGRAMS=20"; }
table ''
run space rows.json --device Ascend910B3
explain BLOCK_M=1,BLOCK_N=1024
explain BLOCK_M=4,BLOCK_N=16384
explain BLOCK_M=2,BLOCK_N=16384
explain BLOCK_M=2,BLOCK_N=1024
run space rows.json --device Ascend910B3 --problem short --explain BLOCK_M=4,BLOCK_N=16384,ORDER=0,PROGRAMS=20 --json
run space rows.json --device Ascend910B3 --problem short --list | grep -c ,
run check-workload rows.json
echo '- not used'
count() { run space rows.json --device "${SOC:-Ascend910B3}" --problem short --count; }
SOC=Ascend950PR_9579 count
cp rows.py own.py; echo '# changed' >>rows.py
count
mv own.py rows.py
cat >python <<'END'
#!/bin/sh
echo '{"interpreter": {"executable": "/python", "python": "CPython 3.11", "reads": []}, "foreign": [], "triton": "triton-ascend 3.2.0",'
echo '"planners": [{"name": "bishengir-compile '$VERSION'", "targets": ["Ascend910B3"]}]}'
END
chmod +x python
export ASCTUNE_PYTHON_NPU="$PWD/python"
VERSION=1.2.0 count
VERSION=1.3.0 count
echo '- refused'
refused() {
	table "$@"
	run check-workload rows.json
}
refused '$d'
count
refused 's/^# rows: 5/# rows: 3/'
refused '1s/1/2/'
refused '1d'
refused 's/rows.py rows/other.py rows/'
refused 's/^# planner: .*/&\n# planner: Ascend910B33: x/'
refused 's/^# planner: .*/# planner: Ascend910B4: x/'
refused 's/,WALK,/,/; s/,null,true/,null/'
refused 's/,WALK,/,WALK,STAGES,/; s/,null,true/,null,true,2/'
refused 's/,4,16384,0,true/,1,1024,0,true/'
refused 's/refused,l0c/maybe,/'
refused 's/refused,l0c/refused,l9/'
refused 's/131072/many/'
rm t.csv
run check-workload rows.json
count
echo '- of strangers'
mkdir w outside
table ''
mv rows.* reference.c w/
mv t.csv outside/
ln -s "$PWD/outside/t.csv" w/t.csv
run check-workload --untrusted w/rows.json
rm w/t.csv
cp outside/t.csv w/
run check-workload --untrusted w/rows.json

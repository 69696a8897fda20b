# NPUs: names that no SoC has, chips that no kernel is made for, folders without CANN. One line says what is missing; exit 2 for input, 3 for nothing to measure with.
tune() {
	asctune run "$WORKLOADS/axpy.json" --db v.db "$@" >said 2>&1
	said=$?
	sed "s|$PWD|.|g" said
	echo "exit $said"
}
tune --device npu:sim:Ascend910B33
tune --device npu:sim:910B2
tune --device npu:sim
tune --device npu:sim:sm_90
tune --device npu:sim:Ascend910A
tune --cann /nowhere --device npu
mkdir -p half/lib64
tune --cann half --device npu
echo nonsense >half/lib64/libascendcl.so
tune --cann half --device npu
tune --cann half --device npu:sim:Ascend910B3
ls v.db 2>&1

# NPUs: names that no SoC has, chips that no kernel is made for, folders without CANN. One line says what is missing; exit 2 for input, 3 for nothing to measure with.
# covers: npu_place.c cann.c
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
tune --device npu:sim:SuperscalarNPU
# A stand-in is offered for a model that has one, and for no other.
for model in Ascend310P3 Ascend910A SuperscalarNPU; do tune --device $model; done
# Devices that other programs tune on.
for device in xpu:0 HIP rocm mps tpu mlu; do tune --device $device; done
# A stand-in chooses problems by their tag.
mkdir plain && cp -r "$WORKLOADS"/axpy* plain && sed -i 's/"smoke"/"short"/' plain/axpy.json
for device in npu:sim:Ascend910B3 npu; do
	asctune run plain/axpy.json --db v.db --device $device 2>&1 | sed "s|$PWD|.|g"
done
tune --cann /nowhere --device npu
mkdir -p half/lib64
tune --cann half --device npu
echo nonsense >half/lib64/libascendcl.so
tune --cann half --device npu
tune --cann half --device npu:sim:Ascend910B3
ls v.db 2>&1
# A driver that crashes as it is opened is a reason, and other devices go on.
echo '#include <signal.h>
__attribute__((constructor)) static void begin(void) { (void)raise(SIGSEGV); }' >crash.c
cc -shared -fPIC -o half/lib64/libascendcl.so crash.c
tune --cann half --device npu
ASCTUNE_CANN=half asctune list devices | sed 's/^cuda .*/cuda ./; s/^\(cpu  *yes\).*/\1 .../'
ASCTUNE_CANN=half asctune doctor | sed -n '/^device.npu/s|  *| |gp'
for cann in half "$(dirname "$(command -v asctune)")/standin/head"; do
	ASCTUNE_CANN=$cann asctune run "$WORKLOADS/axpy.json" -p small --budget 2 --db v.db 2>&1 | sed -n '1s/: .*(\(cuda, npu\): not here.*/: ... \1/p'
done

# Energy decides only where it can be told: else the run ends before anything is measured, with the reason.
# covers: run_session.c energy_probe.c
refused() { asctune run "$WORKLOADS/axpy.json" --db e.db "$@" 2>err; echo "exit $?"; sed 's/: the system counts no energy of its processors.*/: REASON/; s/: [^ ]*energy_uj: .*/: REASON/' err; }
# a machine that counts the energy of its processors is no fault: the file of one zone is looked for
if ls /sys/class/powercap/intel-rapl:0/energy_uj >/dev/null 2>&1 && cat /sys/class/powercap/intel-rapl:0/energy_uj >/dev/null 2>&1; then
	echo 'exit 3'; echo 'asctune: --objective energy: REASON'
else
	refused --device cpu --objective energy
fi
refused --device npu:sim:Ascend910B3 --objective edp
refused --device cpu --objective joules
refused --device cpu --objective energy --config BLOCK=64
refused --device cpu --objective energy --confirm
refused --device cpu --objective edp --cover 5%
ls e.db 2>&1

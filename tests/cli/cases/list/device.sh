# Devices that are not there are said to be so, with the reason; auto falls through to the CPU.
# covers: cmd_list.c survey.c listing.c
asctune list devices | sed 's/^\(cpu  *yes\).*/\1 .../; s/^\(cuda  *\)\(no\|yes\).*/\1.../; s/^\(npu  *\)\(no\|yes\).*/\1.../'
asctune list devices --json | grep -c '"name":"cpu","usable":true'
asctune run "$WORKLOADS/axpy.json" --device npu --db v.db >/dev/null 2>err; echo "exit $?"; wc -l <err
run list strategies
run list evaluators
# Whether a toolkit is installed is the machine's affair.
asctune list builders | sed 's/^\(\(nvrtc\|triton\|triton.npu\)  *\)\(no\|yes\).*/\1.../; s/^\(\(cc\|twin\) .*\): .*/\1: .../'
export ASCTUNE_PYTHON_NPU=/nowhere/python-npu
ASCTUNE_PYTHON=/nowhere/python3 asctune list builders | grep triton
asctune list builders --python /nowhere/python3 --python-npu /nowhere/python3.11 | grep triton
# What can be counted, and whether there is a GPU's driver, is the machine's affair; counters of GPUs, formulas and sets are the texts'.
for kind in probes metrics; do
	asctune list $kind | sed '/^$/,$d; /^\(cupti\.\|formula\.\|set \)/d; s/^\(\(perf_event\|nvml\|cupti\|energy\)[^ ]*\) .*/\1/; s/  *yes  */ yes /; s/^NAME  */NAME /'
done
run list exporters
# Of a metric that is not counted here it is said what it is; why not, once for its probe.
export ASCTUNE_CUPTI=/nowhere/libcupti.so
asctune list metrics >metrics; grep '^cupti.lsu_pct ' metrics | tr -s ' '
sed -n '/^not usable:/,$p' metrics | grep -c '^cupti: '
grep '^set levels ' metrics | tr -s ' ' '\n' | sort | uniq -d
asctune list metrics --json | grep -c '"name":"cupti.lsu_pct","usable":false,"summary":"instructions.*"reason":"'

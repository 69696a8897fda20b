# asctune profile --plan: which counters a set reads on which chip, and in how many passes, without a GPU. The libcupti is one of the tests (fake_cupti): it
# knows two chips, which have all counters but those that begin with "no_", in seven passes.
# covers: profile_plan.c cupti_probe.c
ASCTUNE_CUPTI="$(dirname "$(command -v forbid)")/libfake_cupti.so"; export ASCTUNE_CUPTI
cat >more.json <<'END'
{"metrics": [
  {"name": "bytes", "unit": "B", "meaning": "m", "probe": "cupti", "counters": {"GB20*": ["new_bytes.sum"], "*": ["no_bytes.sum", "bytes.sum"]}},
  {"name": "share", "unit": "%", "meaning": "m", "probe": "cupti", "kernels": "time", "counters": {"*": ["share.pct"]}},
  {"name": "lacking", "unit": "1", "meaning": "m", "probe": "cupti", "counters": {"*": ["no_such.sum"]}},
  {"name": "misspelt", "unit": "B", "meaning": "m", "probe": "cupti", "counters": {"*": ["no_dram__bytes_read.sum"]}},
  {"name": "of_ada", "unit": "1", "meaning": "m", "probe": "cupti", "counters": {"AD*": ["other.sum"]}}],
 "sets": {"few": ["bytes", "share", "lacking", "misspelt", "of_ada"]}}
END
echo "== a set on two chips, with its counters"
run profile --plan --metrics more.json --set few --chip GH100,GB202
echo "== as JSON lines"
run profile --plan --metrics more.json --set few --chip GH100,GB202 --json
echo "== chips by other names, of one probe"
run profile --plan --metrics more.json --set few --chip gh100 --probe cupti
run profile --plan --metrics more.json --set few --device sm_90 --json
echo "== what is of no use"
run profile --plan x.json
run profile --plan --config default
run profile --plan -p small
run profile --plan --probe energy
run profile --plan --device cpu --chip GH100
run profile --plan --device npu
run profile --plan --device sm_42
run profile --plan --device cpu --set levels | sed -n 's/^\(levels  perf_event\) .*/\1/p; s/^.*GH100.*/a chip/p; /^exit/p'
run profile --plan --probe perf_event --set levels | sed -n 's/^\(levels  [a-z_]*\) .*/\1/p; s/^.*GH100.*/a chip/p; /^exit/p'
echo "== unknown names"
run profile --plan --chip GK110
run profile --plan --chip GH100,H100
run profile --plan --chip GH100 --set fw --metrics more.json
run profile --chip GH100 x.json
echo "== a file that is none of metrics"
echo '{"metrics": [{"name": "x", "unit": "1", "meaning": "m", "counters": {"*": ["c"]}}]}' >bad.json
run profile --plan --chip GH100 --metrics bad.json
echo "== no library, and one of before CUDA 12.6"
ASCTUNE_CUPTI=/no/such/libcupti.so; run profile --plan --chip GH100
ASCTUNE_CUPTI="$(dirname "$(command -v forbid)")/libfake_cupti_old.so"; run profile --plan --chip GH100

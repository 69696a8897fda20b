# What a profile refuses, and what it goes on without.
# covers: cmd_profile.c profile_options.c metric_book.c
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
p='profile axpy.json --device cpu --db p.db'
run $p --config BLOCK=256
run $p --config BLOCK=257,THREADS=1,UNROLL=1
run $p --config BLOK=256,THREADS=1,UNROLL=1
run $p --config FOO=1,BLOCK=256,THREADS=1,UNROLL=1
run $p --config default --against FOO=1
run $p --config default --against default
run $p --config default --against 7
run $p --config default --set levles
run $p --config default --probe cupty
run $p --config default --probe teapot
run $p --config default --probe nvml
run $p --config default --impl lop
run $p --config default --problem smal
run profile missing.json --device cpu
run profile --device cpu
run profile axpy.json --chip GH100
# files of metrics: a bad formula, a cycle, a name that is none, no JSON, no file
echo '{"metrics": [{"name": "mine", "unit": "1", "meaning": "mine", "formula": "time_ns +"}]}' >bad.json
echo '{"metrics": [{"name": "a", "unit": "1", "meaning": "a", "formula": "b"}, {"name": "b", "unit": "1", "meaning": "b", "formula": "a"}]}' >cycle.json
echo '{"sets": {"mine": ["dram_byte"]}}' >name.json
echo '{' >json.json
for file in bad cycle name json none; do
	run $p --config default --metrics $file.json
done
ls p.db 2>&1
# a metric of the user's own, and a rule that comes before the program's
echo '{"metrics": [{"name": "mine", "unit": "ns", "meaning": "mine", "formula": "2 * time_ns"}],
	"rules": [{"label": "latency", "devices": ["cpu"], "if": "mine > time_ns", "sentence": "{mine / time_ns:x}, as mine says"}]}' >mine.json
run $p --config default --metrics mine.json --json | sed -n 's/.*"label":"\([a-z]*\)","how":"\([a-z]*\)","sentence":"\([^"]*\)".*/\1 \2 \3/p; /^exit/p'
sqlite3 p.db "SELECT n.probe, n.name, n.unit FROM reading m JOIN metric_name n ON n.id = m.name_id WHERE n.name = 'mine'"

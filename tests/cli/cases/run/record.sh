# A complete record: without a race no configuration is dropped as slow, and strategies are scored on what is exported of it.
# covers: policy.c
asctune run "$WORKLOADS/axpy.json" -D cpu --cache hot --no-race --strategy exhaustive --budget all --db r.db --json >lines 2>/dev/null; echo "exit $?"
sed -n 's/.*"type":"trial".*"status":"\([a-z_]*\)".*/\1/p' lines | sort | uniq -c | sed 's/^ *//'
sed -n 's/.*"policy":{.*\("race":[0-9]*\).*/\1/p' lines | uniq
run export t4 --db r.db -o records 2>&1 | sed 's/-loop-.*_T4/-loop-MODEL_T4/'
run replay records/*_T4.json --strategy random --runs 8 --json | sed -n 's/.*\("configurations":[0-9]*,"valid":[0-9]*\).*/\1/p; /^exit/p'
# what is resumed has all of its samples, too: results of a race do not count
asctune run "$WORKLOADS/axpy.json" -D cpu --cache hot --strategy exhaustive --budget all --db r.db --resume --json 2>/dev/null | grep -c '"resumed":true'
asctune run "$WORKLOADS/axpy.json" -D cpu --cache hot --no-race --strategy exhaustive --budget all --db r.db --resume --json 2>/dev/null | grep -c '"resumed":true'

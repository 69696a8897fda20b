# Deliberately bad kernels: each becomes its typed result and the run goes on to the good one.
# covers: evaluator_worker.c run_facts.c
asctune run "$WORKLOADS/faults.json" --device cpu --cache hot --repeats 3 --problem all --strategy exhaustive --budget all --limit 1s --json --db faults.db >lines 2>err
echo "exit $?"
cat err
# implementation and configuration, status and phase, in a fixed order
sed -n 's/.*"type":"trial","implementation":"\([^"]*\)","config":{\([^}]*\)}.*"status":"\([a-z_]*\)","phase":"\([a-z]*\)".*/\1 \2 \3 \4/p' lines | tr -d '"' | sort
grep -o 'one element at a time[^,]*' lines | head -1
sqlite3 faults.db 'pragma integrity_check'
# Kernels that leave another floating-point environment behind spoil neither the next one nor the comparison.
asctune run "$WORKLOADS/rounding.json" --device cpu --cache hot --repeats 3 --strategy exhaustive --budget all --json --db faults.db >lines 2>err
echo "exit $?"
cat err
sed -n 's/.*"type":"trial","implementation":"\([^"]*\)",.*"status":"\([a-z_]*\)".*"reason":"\([^"]*\)".*/\1 \2 \3/p' lines | sort

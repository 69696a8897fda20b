# Arguments that are views of tensors: halves of wider rows, and a part of an output, which is wrong where a kernel writes another part.
# covers: binding_plan.c
asctune check-workload "$WORKLOADS/halves.json" | sed 's|^.*/||'
asctune run "$WORKLOADS/halves.json" --device cpu --cache hot --repeats 3 --strategy exhaustive --budget all --json --db halves.db >lines 2>err
echo "exit $?"
cat err
sed -n 's/.*"type":"trial",.*"config":{\([^}]*\)}.*"status":"\([a-z_]*\)".*/\1 \2/p' lines | tr -d '"' | sort
sed -n 's/.*"type":"trial",.*"config":{\([^}]*\)}.*"reason":"\([^"]*\)".*/\1 \2/p' lines | sort

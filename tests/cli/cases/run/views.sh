# Tensors that are views: rows with gaps, several in one memory, one changed in place. A kernel that writes between the elements of an output, or to an input beside it, is wrong.
# covers: views.c worker_problem.c
asctune check-workload "$WORKLOADS/views.json" | sed 's|^.*/||'
asctune run "$WORKLOADS/views.json" --device cpu --cache hot --repeats 3 --strategy exhaustive --budget all --json --db views.db >lines 2>err
echo "exit $?"
cat err
sed -n 's/.*"type":"trial",.*"config":{\([^}]*\)}.*"status":"\([a-z_]*\)".*/\1 \2/p' lines | tr -d '"' | sort
sed -n 's/.*"type":"trial",.*"config":{\([^}]*\)}.*"reason":"\([^"]*\)".*/\1 \2/p' lines | sort

# A kernel that leaves an output alone is wrong, whatever the right value is; one that writes 0 for NaN has written it.
# covers: launch.c poison.c worker_expected.c
asctune run "$WORKLOADS/poison.json" --device cpu --cache hot --repeats 3 --strategy exhaustive --budget all --json --db poison.db >lines 2>err
echo "exit $?"
cat err
sed -n 's/.*"type":"trial",.*"config":{\([^}]*\)}.*"status":"\([a-z_]*\)".*/\1 \2/p' lines | tr -d '"' | sort
sed -n 's/.*"type":"trial",.*"reason":"\([^"]*\)".*/\1/p' lines | sort

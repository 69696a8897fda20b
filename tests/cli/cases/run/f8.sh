# Elements of 8 bits, f8e4m3 and f8e5m2: read from a file and made, multiplied and rounded; a kernel that rounds otherwise, or leaves one out, is wrong.
# covers: dtype.c tensor_file.c verify.c poison.c
asctune check-workload "$WORKLOADS/f8.json" | sed 's|^.*/||'
asctune run "$WORKLOADS/f8.json" --device cpu --cache hot --repeats 3 --strategy exhaustive --budget all --json --db f8.db >lines 2>err
echo "exit $?"
cat err
sed -n 's/.*"type":"trial",.*"config":{\([^}]*\)}.*"status":"\([a-z_]*\)".*/\1 \2/p' lines | tr -d '"' | sort
# A wrong code is that of the poison by chance, one in 254.
sed -n 's/.*"type":"trial",.*"config":{\([^}]*\)}.*"reason":"\([^"]*\)".*/\1 \2/p' lines | sed '/FAULT":[13]/s/;.*//' | sort

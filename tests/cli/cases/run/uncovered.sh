# A problem that no implementation covers is said and counted, and the run goes on to the next one.
# covers: run_show.c cmd_runs.c
cp -r "$WORKLOADS/axpy" .
sed -e '/"name": "large"/d' -e 's/.*"name": "small".*/{"name": "first", "dims": {"N": 1000}, "dtypes": {"T": "f32"}, "devices": ["cpu"]},\
	{"name": "odd", "dims": {"N": 999}, "dtypes": {"T": "f32"}, "devices": ["cpu"]},\
	{"name": "last", "dims": {"N": 2000}, "dtypes": {"T": "f32"}, "devices": ["cpu"]}/' \
	-e 's/"entry": "axpy",/"entry": "axpy", "when": "N % 2 == 0",/' "$WORKLOADS/axpy.json" >axpy.json
asctune run axpy.json --device cpu --cache hot --budget 2 --db n.db >out 2>err
echo "exit $?"
grep -v 'trials per problem\|configurations' err
grep -o '^axpy/[a-z]*' out | sort -u
run runs axpy.json --device cpu --db n.db --markdown n.md; cat n.md
run run axpy.json --device cpu --budget 2 --problem odd --db no.db
test -e no.db || echo "no database"

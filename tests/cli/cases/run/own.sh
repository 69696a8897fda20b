# The program's own configuration is the reference: what it computes is compared with, and what it leaves alone stays.
# covers: own_reference.c prerequisites.c binding_own.c
export ASCTUNE_CACHE_DIR="$PWD/cache" # the references in it are counted
for name in own own_steps; do
	asctune run "$WORKLOADS/$name.json" --device cpu --cache hot --repeats 3 --strategy exhaustive --budget all --json --db own.db >lines 2>err
	echo "$name: exit $?"
	cat err
	sed -n 's/.*"type":"trial",.*"config":{\([^}]*\)}.*"status":"\([a-z_]*\)".*/\1 \2/p' lines | tr -d '"' | sort
	sed -n 's/.*"type":"trial",.*"reason":"\([^"]*\)".*/\1/p' lines | sort
done
# The numbers are computed once.
ls "$ASCTUNE_CACHE_DIR/reference" | grep -c -- '-1-'
# What cannot be verified has one line each; what differs within the tolerance is said.
for name in crash beyond adds chance drift wide refused none; do
	asctune run "$WORKLOADS/own_bad.json" --problem $name --device cpu --cache hot --repeats 3 --db own.db >out 2>&1
	echo "$name: exit $?"
	grep -e "cannot be verified" -e crashed -e "does not compute" -e "nothing can run" out
done
# How an answer was verified stands with it, wherever it is shown.
asctune best --db own.db --json | sed -n 's/.*"problem":"\([a-z]*\)".*"verified_by":\("[^"]*"\).*/\1 \2/p'
asctune best --db own.db | grep -o 'verified by .*' | sort -u
asctune show 1 --db own.db | grep -o 'from the.*'
sqlite3 own.db 'select status, verified_by, count(*) from trial group by 1, 2'
asctune report --db own.db -o own.html >out 2>&1; grep -o 'not finite; from [^<]*' own.html | sort -u

# Where the host takes longer to ask for a launch than the device for the launch, the answer says so: best, show and the report, each once; where it is shorter nobody does.
# covers: result.c best.c
golden 16 host.db
sqlite3 host.db "INSERT INTO metric_name(probe, name, unit) VALUES ('kernel', 'host_ns', 'ns')"
set_host() { # VALUE: of all trials
	sqlite3 host.db "INSERT OR REPLACE INTO metric SELECT t.id, n.id, $1 FROM trial t, metric_name n WHERE n.probe = 'kernel' AND n.name = 'host_ns'"
}
told() {
	asctune best --db host.db | tr -s ' \n' '  ' | grep -o 'the host takes.* a graph' | head -c 200
	echo
	asctune show 2 --db host.db | grep '^ *host'
	asctune show 19 --db host.db | grep '^ *host' # on a stand-in, whose times are a model's
	asctune report --db host.db -o page.html >said 2>&1
	grep -o '>host [^<]*<' page.html | sort -u
}
echo '- longer'
set_host 98765432100
told
echo '- shorter'
set_host 1
told
echo '- a metric that has a reason in the place of a value'
set_host NULL
told

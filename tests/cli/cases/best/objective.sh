# The best by energy: of what was measured and stands. This machine may have no counter, so energies of 5, 2 and 2.02 mJ are written into the database.
# covers: cmd_best.c objective.c kept_answers.c snapshot.c
asctune run "$WORKLOADS/axpy.json" --device cpu --repeats 3 --budget 4 --db b.db >/dev/null 2>&1
run best --db b.db --objective energy
run best "$WORKLOADS/axpy.json" --db b.db --objective edp --json
sqlite3 b.db "
	CREATE TEMP TABLE chosen AS SELECT row_number() OVER (ORDER BY median_ns DESC, id) AS n, * FROM trial WHERE status = 'ok' ORDER BY median_ns DESC, id LIMIT 3;
	INSERT INTO profile(run_id, implementation_id, config_key, label, basis, passes, launches, spent_ns)
		SELECT run_id, implementation_id, config_key, 'unknown', 'time', 1, 9, 0 FROM chosen;
	INSERT INTO metric_name(probe, name, unit) VALUES ('energy', 'energy_j', 'J'), ('energy', 'energy_low_j', 'J'), ('energy', 'energy_high_j', 'J');
	CREATE TEMP TABLE energies(n, name, value);
	INSERT INTO energies VALUES (1, 'energy_j', 0.005), (1, 'energy_low_j', 0.0049), (1, 'energy_high_j', 0.0051),
		(2, 'energy_j', 0.002), (2, 'energy_low_j', 0.0019), (2, 'energy_high_j', 0.0021), (3, 'energy_j', 0.00202), (3, 'energy_low_j', 0.00192), (3, 'energy_high_j', 0.00212);
	INSERT INTO reading(profile_id, call, name_id, value) SELECT p.id, 0, m.id, e.value
		FROM chosen c JOIN profile p ON p.config_key = c.config_key JOIN energies e ON e.n = c.n JOIN metric_name m ON m.name = e.name AND m.probe = 'energy'"
asctune best --db b.db --objective energy | sed -n 's/.*\(tie of [0-9]\).*/\1/p; s/.*; \([0-9.]* mJ.*measured\).*/\1/p'
asctune best --db b.db --objective energy --json | grep -o '"objective".*"energies":[0-9]*'
asctune best --db b.db --json | grep -c '"objective"'
# what fails since is no answer
sqlite3 b.db "CREATE TEMP TABLE t AS SELECT * FROM trial WHERE status = 'ok' ORDER BY median_ns, id DESC; DELETE FROM t WHERE rowid <> 2; UPDATE t SET id = NULL, status = 'wrong', median_ns = NULL,
	recorded_ms = recorded_ms + 60000; INSERT INTO trial SELECT * FROM t"
asctune best --db b.db --objective energy | sed -n 's/.*; \([0-9.]* mJ.*measured\).*/\1/p'
run best --db b.db --objective watts
run best --db b.db --objective energy --watch

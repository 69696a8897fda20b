# A parameter that changes nothing of the code: equal code that is launched alike is measured once, and ties; --resume takes them as recorded. (A
# result that other load left undecided is not shared, so a few of the 16 may be measured.)
# covers: launch_record.c
cp -r "$WORKLOADS/axpy" axpy
sed 's/"UNROLL": \[1, 2, 4\],/"UNROLL": [1, 2], "UNUSED": [1, 2, 3],/' "$WORKLOADS/axpy.json" >axpy.json
trial() { # RUN ARGS...: how the trials of one implementation came to their results
	asctune run axpy.json --device cpu --impl loop --cache hot --budget all "$@" >run.out 2>&1
	grep -oE '^  [0-9]+ of [0-9]+ configurations|[0-9]+ from the database|not measured: the same code as another' run.out
	grep -q '^    the same code   *UNUSED=' run.out || sed 's/^/# /' run.out
	sqlite3 asctune.db "SELECT count(*) || ' trials, ' || count(DISTINCT json_remove(config_json, '\$.UNUSED')) || ' of them different, ' ||
		iif(total(reason LIKE '%same code as loop %, launched alike' AND samples IS NULL AND same_hash IS NOT NULL) >= 12, 'half of them or more not launched', 'too many launched') FROM trial"
}
trial
echo "distinct times among equal finalists:"
sqlite3 asctune.db "SELECT DISTINCT count(DISTINCT hex(samples)) FROM final GROUP BY replace(replace(replace(config_key, 'UNUSED=1', ''), 'UNUSED=2', ''), 'UNUSED=3', '')"
trial --resume

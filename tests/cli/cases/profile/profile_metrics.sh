# Files of metrics: what is wrong with one is said with its name, before anything is built; exit 2.
# covers: profile_options.c
put() { cat >"$1.json"; }
profile() { asctune profile "$WORKLOADS/axpy.json" --device cpu --db p.db --metrics "$1.json" --set "${2-default}" 2>&1; echo "exit $?"; }
put typo <<END
{"metrics": [{"name": "c", "unit": "1", "meaning": "cycles", "probe": "perf_event", "counters": {"*": ["cpu-cycels"]}}]}
END
put field <<END
{"metrics": [{"name": "c", "unit": "1", "meaning": "cycles", "probe": "perf_event", "counters": {"AMD-*": ["instructions", "six*cpu-cycles"]}}]}
END
put probe <<END
{"metrics": [{"name": "c", "unit": "1", "meaning": "cycles", "probe": "perf_events", "counters": {"*": ["cpu-cycles"]}}]}
END
put other <<END
{"metrics": [{"name": "c", "unit": "J", "meaning": "joules", "probe": "energy", "counters": {"*": ["joules"]}}]}
END
put circle <<END
{"metrics": [{"name": "a", "unit": "1", "meaning": "m", "formula": "b"}, {"name": "b", "unit": "1", "meaning": "m", "formula": "a + 1"}]}
END
put formula <<END
{"metrics": [{"name": "a", "unit": "1", "meaning": "m", "formula": "cycles /"}]}
END
for name in typo field probe other circle formula; do profile $name; done
profile nothing
put fine <<END
{"metrics": [{"name": "spent", "unit": "ns", "meaning": "time", "probe": "perf_event", "counters": {"*": ["process:time"]}},
             {"name": "each", "unit": "ns", "meaning": "time of a thread", "formula": "spent / threads"}],
 "sets": {"mine": ["spent"]}}
END
profile fine mind
# That of docs/metrics.md is read.
sed -n '/^```json/,/^```/{/^```/!p}' "$ROOT/docs/metrics.md" >docs.json
profile docs store
# One that is right: its set is counted, and its formula worked out.
asctune profile "$WORKLOADS/axpy.json" --device cpu --db p.db -p small --config default --metrics fine.json --set mine >out; echo "exit $?"
grep -c "counted *set mine in 1 pass" out

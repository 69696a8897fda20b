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
put number <<END
{"metrics": [{"name": "c", "unit": "1", "meaning": "m", "probe": "perf_event", "counters": {"*": ["cpu/event=0xzz/"]}}]}
END
put pmu <<END
{"metrics": [{"name": "c", "unit": "1", "meaning": "m", "probe": "perf_event", "counters": {"*": ["nopmu/foo/"]}}]}
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
printf '\0{}' >nul.json
{ printf '{"metrics": [{"name": "a", "unit": "1", "meaning": "m", "formula": "'; head -c 100000 /dev/zero | tr '\0' '('; echo '"}]}'; } >deep.json
for name in typo field number pmu probe other circle formula nul deep; do profile $name; done
profile nothing
put fine <<END
{"metrics": [{"name": "spent", "unit": "ns", "meaning": "time", "probe": "perf_event", "counters": {"*": ["process:time"]}},
             {"name": "each", "unit": "ns", "meaning": "time of a thread", "formula": "spent / threads"}],
 "sets": {"mine": ["spent"]}}
END
profile fine mind
profile fine nope
# That of docs/metrics.md is read.
sed -n '/^```json/,/^```/{/^```/!p}' "$ROOT/docs/metrics.md" >docs.json
profile docs store
# A formula without a value has a reason, and a probe that is named twice counts once.
put without <<END
{"metrics": [{"name": "spent", "unit": "ns", "meaning": "time", "probe": "perf_event", "counters": {"*": ["process:time"]}},
             {"name": "nothing", "unit": "1", "meaning": "m", "formula": "spent / (threads - threads)"},
             {"name": "tea", "unit": "1", "meaning": "m", "formula": "spent / peak_tensor"}],
 "sets": {"mine": ["spent", "nothing", "tea"]}}
END
asctune profile "$WORKLOADS/axpy.json" --device cpu --db p.db -p small --config default --metrics without.json --set mine --probe perf_event,perf_event --json |
	grep -oE '"passes":[0-9]*|"missing":\[.*\]'
# One that is right: its set is counted, and its formula worked out.
asctune profile "$WORKLOADS/axpy.json" --device cpu --db p.db -p small --config default --metrics fine.json --set mine >out; echo "exit $?"
grep -c "counted *set mine in 1 pass" out

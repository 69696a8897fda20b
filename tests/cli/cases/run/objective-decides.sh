# Energy decides after the finals, here that of a counter that the test moves: 50 W whatever runs. So the energy of a launch is its time with hot caches, which
# this machine makes noisy: what is held is who was measured, the power, and that all outputs say the same.
# covers: profiling.c energy_turns.c energy_probe.c rapl.c loop.c answer.c objective.c
mkdir -p "power/intel-rapl:0"
echo package-0 >power/intel-rapl:0/name; echo 262143328850 >power/intel-rapl:0/max_energy_range_uj; printf '%020d\n' 1 >power/intel-rapl:0/energy_uj
# numbers of one width, each in one write: a reader never sees a part; at most two minutes
perl -MTime::HiRes=time,sleep -e 'open F, "+<", "power/intel-rapl:0/energy_uj"; my $t = time; while (-e "power/on" && time - $t < 120) { sysseek F, 0, 0; syswrite F, sprintf("%020d\n", (time - $t) * 50e6); sleep 0.005 }' &
touch power/on
export ASCTUNE_POWERCAP="$PWD/power"
asctune doctor --device cpu | grep -c '^energy *yes'
asctune run "$WORKLOADS/axpy.json" --device cpu --budget 2 --no-history --objective energy --db e.db --json 2>err >out; echo "exit $?"
rm power/on; wait
tail -n 1 out | grep -o '"objective":"energy","energy_j":[0-9]' | sed 's/[0-9]$/N/'; tail -n 1 out | grep -o '"energies":[0-9]*'
sqlite3 e.db "SELECT count(DISTINCT p.config_key), min(x.value BETWEEN 45 AND 55) FROM profile p JOIN reading x ON x.profile_id = p.id JOIN metric_name n ON n.id = x.name_id WHERE n.name = 'energy_watts'"
sqlite3 e.db "SELECT n.name, count(*) FROM reading x JOIN metric_name n ON n.id = x.name_id WHERE n.probe = 'energy' AND x.value > 0 AND n.name NOT LIKE '%idle%' GROUP BY n.name"
# the answer of the run is that of best, and the fastest stays the best by time
chosen=$(tail -n 1 out | sed 's/.*"best":{"implementation":"[^"]*",\("config":{[^}]*},"config_key":"[^"]*"\).*/\1/')
asctune best --db e.db --objective energy --json | grep -cF "$chosen"
asctune best --db e.db --json | grep -c '"objective"'
asctune show 1 --db e.db --json >/dev/null; echo "exit $?"

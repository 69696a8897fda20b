#!/bin/sh
# The files of docs/fleet do what they say, with stand-ins for what starts them: each share is run as its engine would run it, on a kernel that takes no time,
# and what the job behind them leaves is looked at. tests/bench/fleet runs a real Slurm.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASCTUNE_BUILD:-$root/build/dev}
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-fleet.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
mkdir -p "$work/bin" "$work/ray"
ln -s "$build/asctune" "$work/bin/asctune"
export PATH="$work/bin:$PATH" ASCTUNE_CACHE_DIR="$work/cache" CUDA_VISIBLE_DEVICES= LC_ALL=C.UTF-8
unset ASCTUNE_DB
for name in $(env | grep -oE '^(SLURM_|CI_NODE_|OMPI_|SGE_|LSB_|PBS_ARRAY|JOB_COMPLETION)[A-Z_]*'); do unset "$name"; done
cp -r "$root/tests/cli/workloads/axpy" "$work/"
sed 's/{"name": "small", "dims": {"N": 1000}/{"name": "rung", "dims": {"N": [500, 600]}/; s/\[64, 256, 1024\]/[64, 256]/; s/"UNROLL": \[1, 2, 4\]/"UNROLL": [1]/; s/"values": \[1, 2\]/"values": [1]/' \
	"$root/tests/cli/workloads/axpy.json" >"$work/axpy.json"
export WORKLOAD="$work/axpy.json"
n=0
check() { # NAME WANTED HAVE
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" || { echo "not ok $n - $1: \"$3\" instead of \"$2\""; sed 's/^/# /' "$work/said" | tail -n 20; }
}
names() { sqlite3 "$1" "select count(distinct p.name) || ' ' || count(distinct r.uid) || ' ' || (select count(*) from run where strategy = 'finals') from run r join problem p on p.id = r.problem_id where r.strategy <> 'finals'"; }
lines() { # FILE KEY...: the text, or the lines, at that place of a YAML file
	python3 - "$@" <<'END'
import sys, yaml
at = yaml.safe_load(open(sys.argv[1]))
for key in sys.argv[2:]:
    at = at[int(key) if key.isdigit() else key]
print("\n".join(at) if isinstance(at, list) else at)
END
}

# Slurm: sbatch runs what it is given, for each number of the array, or behind them.
cat >"$work/bin/sbatch" <<'END'
#!/bin/sh
cat >"$STAND_IN/job"
case $* in
*--array=0-2*--output="$(printf %s "$STAND_IN" | sed 's/%/%%/g')"/*) cp "$STAND_IN/job" "$STAND_IN/array"; for id in 0 1 2; do
	SLURM_ARRAY_TASK_ID=$id SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=3 SLURM_PROCID=0 sh "$STAND_IN/job" >>"$STAND_IN/out" 2>&1 || exit 1
	done; echo 17 ;;
*--dependency=afterany:17*) sh "$STAND_IN/job" >>"$STAND_IN/out" 2>&1 || exit 1; echo 18 ;;
*) exit 1 ;;
esac
END
chmod +x "$work/bin/sbatch"
check "slurm.sh submits two jobs" 18 "$(STAND_IN="$work/slurm" FINALS="--device cpu --cache hot" "$root/docs/fleet/slurm.sh" "$WORKLOAD" 3 "$work/slurm" --device cpu --cache hot --budget 2 2>"$work/said")"
cp "$work/slurm/out" "$work/said"
check "slurm.sh: two problems, a run each, finals of each" "2 2 2" "$(names "$work/slurm/all.db")"
odd="$work/a \$HOME's 100% \`echo\` \"folder\""
mkdir "$odd"
cp -r "$work/axpy" "$work/axpy.json" "$odd"
mv "$odd/axpy.json" "$odd/it's \$this \"file\".json"
check "slurm.sh: names with blanks, quotes and \$ arrive as they are" 18 "$(STAND_IN="$odd/out" FINALS="--device cpu --problem 'rung'" "$root/docs/fleet/slurm.sh" "$odd/it's \$this \"file\".json" 3 "$odd/out" --device cpu --budget 2 --problem rung 2>"$work/said")"
cp "$odd/out/out" "$work/said"
check "slurm.sh: they are tuned, and compared, as others are" "2 2 2" "$(names "$odd/out/all.db")"
touch "$work/slurm/share-2.db-host" # a note that it left on the machine where it was killed
SLURM_RESTART_COUNT=1 SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_COUNT=3 sh "$work/slurm/array" >"$work/said" 2>&1
check "slurm.sh: a task that is started again is the only one on its database" "0 none" "$? $(ls "$work/slurm/share-2.db-host" 2>/dev/null || echo none)"

if python3 -c 'import yaml' 2>/dev/null; then
	mkdir "$work/gitlab" && cd "$work/gitlab" || exit 1
	for k in 1 2 3 4; do
		lines "$root/docs/fleet/gitlab.yml" share script | CI_NODE_INDEX=$k CI_NODE_TOTAL=4 sh -e >said 2>&1 || cat said
	done >"$work/said"
	lines "$root/docs/fleet/gitlab.yml" finals script | sh -e >>"$work/said" 2>&1
	check "gitlab.yml: the same" "2 2 2" "$(names all.db)"
	check "gitlab.yml: what it keeps is there" "all.db report.html" "$(ls $(lines "$root/docs/fleet/gitlab.yml" finals artifacts paths) | xargs)"
	mkdir "$work/github" && cd "$work/github" || exit 1
	check "github.yml: the job behind the shares does what GitLab's does" "$(lines "$root/docs/fleet/gitlab.yml" finals script)" \
		"$(lines "$root/docs/fleet/github.yml" jobs finals steps 2 run)"
	lines "$root/docs/fleet/github.yml" jobs share steps 1 run | sed 's/\${{ matrix.share }}/4/g; s/\${{ strategy.job-total }}/4/' | sh -e >"$work/said" 2>&1
	check "github.yml: share 4 of 4 has nothing to do" "4|4|0|done" "$(sqlite3 share-4.db 'select number, count, problems, outcome from share')"
	lines "$root/docs/fleet/kubernetes.yml" spec template spec containers 0 args | grep -v '^#' >pod
	RESULTS=. JOB_COMPLETION_INDEX=7 sh -e pod >"$work/said" 2>&1
	check "kubernetes.yml: share 8 of 8, too" "8|8|0|done" "$(sqlite3 share-7.db 'select number, count, problems, outcome from share')"
else
	echo "ok $((n += 1)) - the files in YAML # SKIP python3 has no yaml"
fi

# Ray: a module of that name whose tasks run when their results are asked for.
cat >"$work/ray/ray.py" <<'END'
def remote(**asked):
    assert asked["num_gpus"] == 1 and asked["max_retries"] == 3
    def wrap(function):
        function.remote = lambda *arguments: (function, arguments)
        return function
    return wrap
def get(task):
    return task[0](*task[1])
def init():
    pass
END
mkdir "$work/tasks" && cd "$work/tasks" || exit 1
FINALS="--cache hot" PYTHONPATH="$work/ray" python3 "$root/docs/fleet/ray_tasks.py" "$WORKLOAD" 2 --device cpu --cache hot --budget 1 >"$work/said" 2>&1
check "ray_tasks.py: the same" "2 2 2" "$(names all.db)"
check "ray_tasks.py is short" yes "$([ "$(wc -l <"$root/docs/fleet/ray_tasks.py")" -le 40 ] && echo yes)"
echo "1..$n"

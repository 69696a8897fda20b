#!/bin/sh
# Tunes a workload by an array of N Slurm jobs, then joins what they found and holds finals, by a job that waits for them:
#     docs/fleet/slurm.sh FILE N FOLDER [OPTION OF asctune run...]
# FOLDER is one that all machines see. What a job asks for stands in sbatch's own variables: SBATCH_GPUS=1 SBATCH_PARTITION=gpu SBATCH_TIMELIMIT=60.
# FINALS='--cache hot --problem odd' are options of the finals, as a shell reads them: those of the shares that say what is measured are needed there, too.
set -eu
[ $# -ge 3 ] || { sed -n 3p "$0" >&2; exit 2; }
file=$1 n=$2 folder=$3
shift 3
mkdir -p "$folder"

# Each argument as a word of a shell script, whatever is in it.
quote() {
	for word; do
		printf " '%s'" "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"
	done
}
# A job: what it is given, then the lines that stand below.
job() { # OPTION...
	printf '#!/bin/sh\nset --%s\nfile=$1 n=$2 folder=$3\nshift 3\n' "$(quote "$file" "$n" "$folder" "$@")"
	cat
}
logs=$(printf '%s' "$folder" | sed 's/%/%%/g')

# A task that Slurm starts again goes on where it was killed: the same share, the same database, which the machine before it no longer has.
share=$(job "$@" <<'END' | sbatch --parsable --requeue --array="0-$((n - 1))" --output="$logs/share-%a.log"
db=$folder/share-$SLURM_ARRAY_TASK_ID.db
[ "${SLURM_RESTART_COUNT:-0}" = 0 ] || rm -f "$db-host"
exec asctune run "$file" --shard "auto/$n" --resume --db "$db" "$@"
END
)
# afterany: a share without an answer ends with 1. Whether all are whole is what `runs --shards` says.
eval "set -- ${FINALS:-}"
job "$@" <<'END' | sbatch --parsable --dependency="afterany:$share" --output="$logs/finals.log"
set -e
asctune merge "$folder"/share-*.db --db "$folder/all.db"
asctune runs --shards "$n" "$folder/all.db"
asctune run "$file" --finals "$@" --db "$folder/all.db"
asctune best --db "$folder/all.db"
END

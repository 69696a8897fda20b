#!/bin/sh
# Engines for tests/bench/fleet: Debian's Slurm and Open MPI, unpacked in the user's cache (40 MB): nothing of the machine changes.
#     tests/bench/fleet_engines.sh slurm WORK COMMAND...   runs COMMAND beside slurmctld and slurmd, for one machine with two processors
#     tests/bench/fleet_engines.sh mpirun ARGUMENT...
# The daemons of Slurm know no passwords here, so they have a network of their own, which needs root. Exit status 77, with the reason, where something cannot be had.
set -eu
root=${XDG_CACHE_HOME:-$HOME/.cache}/asctune-engines
stop() { # REASON
	echo "fleet_engines.sh: $1" >&2
	exit 77
}
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || stop "the packages are Debian's, and this is no Debian"
fetch() { # APT-GET'S ARGUMENTS
	apt-get -qq -y -o Debug::NoLocking=1 -o APT::Sandbox::User= -o Dir::State::Lists="$root/apt/lists" -o Dir::Cache="$root/apt" \
		-o Dir::Cache::Archives="$root/apt/archives" "$@" >"$root/apt.log" 2>&1 || stop "$(grep -m 1 '^E:' "$root/apt.log" || tail -n 1 "$root/apt.log")"
}
if [ ! -e "$root/complete" ]; then
	rm -rf "$root"
	mkdir -p "$root/apt/lists/partial" "$root/apt/archives/partial"
	fetch update
	fetch --download-only --no-install-recommends install slurmctld slurmd slurm-client slurm-wlm-basic-plugins openmpi-bin
	for package in "$root"/apt/archives/*.deb; do
		dpkg-deb -x "$package" "$root/tree"
	done
	rm -rf "$root/apt"
	touch "$root/complete"
fi
tree=$root/tree
libraries=$tree/usr/lib/$(uname -m)-linux-gnu

if [ "$1" = mpirun ]; then
	shift
	# What Open MPI says of parts that it has been built with, and that one machine does not need.
	export OPAL_PREFIX="$tree/usr" LD_LIBRARY_PATH="$libraries:$libraries/openmpi/lib" PMIX_MCA_pcompress_base_silence_warning=1
	exec "$tree/usr/bin/mpirun.openmpi" --allow-run-as-root --oversubscribe --mca mca_base_component_show_load_errors 0 "$@"
fi
[ "$1" = slurm ] || stop "no engine $1"
if [ -z "${FLEET_INSIDE:-}" ]; then
	unshare -n true 2>/dev/null || stop "a network of its own needs root"
	FLEET_INSIDE=1 exec unshare -n "$0" "$@"
fi
work=$2
shift 2
mkdir -p "$work/state" "$work/spool"
ip link set lo up
ip addr add 10.99.0.1/32 dev lo # else the resolver finds no address to listen on
export LD_LIBRARY_PATH="$libraries/slurm-wlm:$libraries" SLURM_CONF="$work/slurm.conf" PATH="$tree/usr/bin:$tree/usr/sbin:$PATH"
host=$(hostname)
cat >"$SLURM_CONF" <<END
ClusterName=fleet
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
PluginDir=$libraries/slurm-wlm
SlurmUser=root
SlurmdUser=root
SlurmdParameters=config_overrides
ReturnToService=2
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes=$host Default=YES State=UP
END
slurmctld-wlm -D >/dev/null 2>&1 &
control=$!
slurmd-wlm -D -d "$tree/usr/sbin/slurmstepd-wlm" >/dev/null 2>&1 &
node=$!
trap 'kill $node $control 2>/dev/null; wait' EXIT
tries=0
until sinfo -h -o %t 2>/dev/null | grep -q idle; do
	tries=$((tries + 1))
	[ $tries -lt 200 ] || stop "Slurm does not start: $(tail -n 1 "$work/slurmctld.log" 2>/dev/null)"
	sleep 0.1
done
status=0
"$@" || status=$?
exit $status

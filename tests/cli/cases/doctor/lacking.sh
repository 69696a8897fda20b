# A kernel, or a container, that lacks a part of the sandbox: that is said, and nothing of a stranger's is run.
# covers: machine_state.c
if ! forbid landlock true; then
	cat "$CASES/lacking.out"
	return
fi
on() { # PART ARGS...
	part=$1
	shift
	forbid "$part" asctune "$@" --db l.db --device cpu --cache hot --repeats 2 >out 2>err; echo "exit $?"
	grep -o 'sandbox lacks [a-z, ]*(asctune doctor)' err | sed 's/, signals//' # what older kernels have not, either
	grep '^asctune:' err
}
for part in landlock seccomp; do
	echo "- $part"
	forbid $part asctune doctor >out; echo "exit $?"
	on $part run "$WORKLOADS/axpy.json" -p small --budget 1 --untrusted
	ls l.db 2>&1
	on $part run "$WORKLOADS/axpy.json" -p small --budget 1
	forbid $part asctune reproduce 1 --db l.db --untrusted; echo "exit $?"
	forbid $part asctune check-workload --untrusted "$WORKLOADS/axpy.json"; echo "exit $?"
	rm l.db*
done

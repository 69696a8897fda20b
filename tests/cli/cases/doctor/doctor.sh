# What the sandbox has here, or why not; and the devices. That is the machine's affair; the names are not.
# covers: cmd_doctor.c machine_state.c doctor_device.c
asctune doctor >out; echo "exit $?" | sed 's/[01]$/0 or 1/'
head -n 1 out | tr -s ' '
sed 's/^\([a-z._]*\)  *\(yes\|no\) .*/\1/; 1d' out
asctune doctor --json | grep -c '^{"name":"[a-z._]*","usable":\(true\|false\),"summary":"[^"]*"\(,"reason":".*"\)\?}$'
run doctor cuda
# a processor works without OpenBLAS: the loader is kept from finding any
mkdir none && ASCTUNE_OPENBLAS="$PWD/none" asctune doctor --device cpu >out; echo "exit $?"
grep -c '^test.launch *yes' out
# energy is told or not, with the reason
grep -c '^energy  *\(yes  *the energy of launches\|no  *\(the system counts no energy\|.*energy_uj: \)\)' out

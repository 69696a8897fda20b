# What --help says is the contract: a change shows here.
# covers: main.c
for command in init run space build list best export import merge runs check-workload completion; do
	run $command --help
done
# glibc's argp indents some long texts wrongly, and ends others with a line of blanks: no command has one.
for command in $(asctune --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
	asctune "$command" --help | sed -n "s/^ \{30,\}-/$command: &/p; s/^ \{20,\}$/$command: &/p"
done

# What --help says is the contract: a change shows here.
# covers: main.c
for command in init run space build list best export import merge runs check-workload completion; do
	run $command --help
done

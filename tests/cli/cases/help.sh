# What --help says is the contract: a change shows here.
for command in run space list best export import merge runs check-workload; do
	run $command --help
done

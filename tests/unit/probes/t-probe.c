/* Probes: lists and reasons.
 * covers: probe.c */
#include "probes/probe.h"
#include "tests/tap.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"

int main(void)
{
	char reason[100];

	for (size_t i = 0; probe_list[i]; i++) {
		const struct probe_ops *ops = probe_list[i];
		tap_ok(ops->name && ops->summary && ops->check && ops->open && ops->close &&
			       (ops->replay ? ops->plan != NULL
					    : ops->metrics && ops->begin && ops->end),
		       "%s is complete", ops->name);
		tap_ok(probe_find(ops->name) == ops, "%s is found by name", ops->name);
	}
	tap_ok(!probe_find("tea_leaves"), "an unknown probe is not found");
	tap_ok(probe_find("perf_event")->check("cpu", reason, sizeof reason),
	       "perf_event needs no permission");
	tap_ok(!probe_find("perf_event")->check("npu", reason, sizeof reason),
	       "perf_event is about processors");
	tap_has(reason, "npu", "and says so");
	tap_ok(!probe_serves(probe_find("perf_event"), "cuda") &&
		       probe_serves(probe_find("perf_event"), "cpu"),
	       "it serves them alone");
	tap_ok(!probe_has(probe_find("perf_event"), "npu", 0, reason, sizeof reason),
	       "no metric where there is no probe");
	if (probe_find("nvml")->check("cuda", reason, sizeof reason))
		tap_ok(!probe_find("nvml")->check("cpu", reason, sizeof reason),
		       "nvml is about GPUs");
	tap_ok(*reason, "says why it is of no use: %s", reason);
	return tap_done();
}

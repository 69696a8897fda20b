/* Energy of a launch: launches back to back, counted between two steps of a counter of energy. This
 * is the pure part, and the question whether it can be told at all. */
#ifndef ASCTUNE_PROBES_ENERGY_PROBE_H
#define ASCTUNE_PROBES_ENERGY_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/probe.h"

struct device_info;

/* Order of the metrics. */
enum energy_metric {
	ENERGY_J,
	ENERGY_ABOVE_IDLE_J,
	ENERGY_IDLE_SHARE,
	ENERGY_WATTS,
	ENERGY_LAUNCHES,
	ENERGY_SECONDS,
	ENERGY_METRICS
};

extern const struct probe_metric energy_metrics[ENERGY_METRICS + 1];

/* A moment, and what was counted until then: joules, or launches that were done. */
struct energy_mark {
	int64_t at_ns;
	double value;
};

/* Launches that were done at a moment: between two marks they come evenly. The marks, n > 0, are in
 * the order of time; before the first and after the last of them nothing is launched. */
double energy_launches_at(const struct energy_mark *done, size_t n, int64_t at_ns);

/* Works out the metrics of a span from one step of the counter to another: out[i] is
 * energy_metrics[i]. `idle_w` is the draw of the device at rest; NaN: not known, and neither is
 * what follows from it. False where nothing was launched in it, or the counter went back. */
bool energy_span(const struct energy_mark *begin, const struct energy_mark *end,
		 const struct energy_mark *done, size_t n, double idle_w,
		 double out[ENERGY_METRICS]);

/* Checks that the energy of a device's launches can be told: there is a counter, and no other
 * process computes there, whose energy would be counted too. To be asked before this program has
 * work on the device; opens no driver of it, but its library of readings. `kind` is the name of
 * its struct device_ops. */
bool energy_check(const char *kind, const struct device_info *device, char *reason, size_t size);

#endif

/* What tells one CPU from another in a fingerprint, and what does not.
 * covers: cpu_info.c */
#include "tuner/device/cpu/cpu_info.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/device/device.h"

static void check(const char *what, const struct device_info *read, struct device_info *changed,
		  bool same)
{
	struct asc_err e;

	*changed->driver = '\0';
	changed->facts.known[FACT_MEMORY_BYTES] = false;
	tap_int(device_info_seal(changed, "cpu", &e), ASC_OK, "sealed");
	tap_ok((strcmp(read->fingerprint, changed->fingerprint) == 0) == same, "%s", what);
}

int main(void)
{
	struct device_info read, changed;
	struct asc_err e;

	tap_int(cpu_info_read(&read, &e), ASC_OK, "this machine's");
	tap_has(read.driver, "Linux", "its kernel is known");
	tap_ok(read.facts.known[FACT_MEMORY_BYTES], "so is its memory");
	changed = read;
	check("neither is in the fingerprint", &read, &changed, true);
	changed = read;
	(void)snprintf(changed.arch, sizeof changed.arch, "other");
	check("the instructions are", &read, &changed, false);
	changed = read;
	facts_set(&changed.facts, FACT_THREADS, read.facts.value[FACT_THREADS] + 1);
	check("so are threads", &read, &changed, false);
	changed = read;
	facts_set(&changed.facts, FACT_LLC_BYTES, read.facts.value[FACT_LLC_BYTES] + 1);
	check("and caches", &read, &changed, false);
	return tap_done();
}

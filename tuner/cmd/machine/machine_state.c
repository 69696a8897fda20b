#include "tuner/cmd/machine/machine_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool machine_is_idle(char *text, size_t size)
{
	const long threads = sysconf(_SC_NPROCESSORS_ONLN);
	double load;

	if (threads < 1 || getloadavg(&load, 1) != 1) {
		(void)snprintf(text, size, "the system does not tell its load");
		return true;
	}
	const bool idle = 2 * load <= (double)threads;

	(void)snprintf(text, size,
		       idle ? "load %.1f"
			    : "load %.1f on %ld thread%s: the machine is busy, expect noisy times",
		       load, threads, threads == 1 ? "" : "s");
	return idle;
}

bool machine_is_steady(char *text, size_t size)
{
	FILE *f = fopen("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "re");
	char governor[64] = "";

	if (f) {
		if (!fgets(governor, sizeof governor, f))
			*governor = '\0';
		(void)fclose(f);
	}
	governor[strcspn(governor, "\n")] = '\0';
	const bool steady = !*governor || !strcmp(governor, "performance");

	if (!*governor)
		(void)snprintf(text, size,
			       "the system has no setting for the processors' clock, as in virtual "
			       "machines");
	else if (steady)
		(void)snprintf(text, size, "the processors' governor is performance");
	else
		(void)snprintf(text, size,
			       "the processors' governor is %s, so that clocks follow the load; "
			       "`cpupower frequency-set -g performance` keeps them up",
			       governor);
	return steady;
}

#include "tuner/device/cpu_state.h"

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tuner/device/device.h"

/* The number in a file of one processor under /sys; 0 when there is none. */
static int64_t read_number(int cpu, const char *name)
{
	char path[128], text[32];

	(void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return strtoll(text, NULL, 10);
}

/* Involuntary switches are those of all threads: a thread that wants to run and may not. */
void cpu_state_read(struct device_state *out)
{
	struct rusage usage = {0};
	int cpu = sched_getcpu();

	(void)getrusage(RUSAGE_SELF, &usage);
	*out = (struct device_state){
		.mhz = read_number(cpu, "cpufreq/scaling_cur_freq") / 1000,
		.interrupts = usage.ru_nivcsw,
		.throttles = read_number(cpu, "thermal_throttle/core_throttle_count"),
	};
}

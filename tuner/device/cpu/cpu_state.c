#include "tuner/device/cpu/cpu_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tuner/device/device.h"

#define FOLDER    "/sys/devices/system/cpu/"
#define CLOCK     "cpufreq/scaling_cur_freq" /* kHz */
#define THROTTLES "thermal_throttle/core_throttle_count"

void cpu_state_fini(struct cpu_state *s)
{
	while (s->n > 0)
		close(s->fds[--s->n]);
}

void cpu_state_watch(struct cpu_state *s)
{
	DIR *folder = opendir("/proc/self/task");
	struct dirent *entry;

	cpu_state_fini(s);
	/* Most virtual machines have neither: each reading would try to open them. */
	if (!s->looked) {
		s->clock = access(FOLDER "cpu0/" CLOCK, R_OK) == 0;
		s->throttles = access(FOLDER "cpu0/" THROTTLES, R_OK) == 0;
		s->looked = true;
	}
	while (folder && s->n < CPU_STATE_THREADS && (entry = readdir(folder)) != NULL) {
		char path[300];

		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		s->ids[s->n] = (int)strtol(entry->d_name, NULL, 10);
		s->fds[s->n++] = fd;
	}
	if (folder)
		closedir(folder);
}

/* "RAN WAITED SLICES", ns (proc(5), Documentation/scheduler/sched-stats in Linux). */
static int64_t read_waited(int fd)
{
	char text[96], *rest = text;
	ssize_t n = pread(fd, text, sizeof text - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	(void)strtoll(text, &rest, 10);
	return strtoll(rest, NULL, 10);
}

/* A thread's own clock: the scheduler's figures, and the clock of the whole process, stand still
 * while a thread runs on another processor, for up to a tick. The number is made as
 * pthread_getcpuclockid(3) makes it (include/linux/posix-timers.h in Linux). */
int64_t cpu_state_thread_ns(int id)
{
	enum { SCHEDULED = 2, OF_THREAD = 4 };
	struct timespec t = {0};

	(void)clock_gettime((clockid_t)(~(unsigned)id << 3 | SCHEDULED | OF_THREAD), &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Reads the number in a file of one processor under /sys; 0 when there is none. */
static int64_t read_number(int cpu, const char *name)
{
	char path[128], text[32];

	(void)snprintf(path, sizeof path, FOLDER "cpu%d/%s", cpu, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return strtoll(text, NULL, 10);
}

/* Involuntary switches of all threads: each is a thread that wants to run and may not. */
void cpu_state_read(const struct cpu_state *s, struct device_state *out)
{
	struct rusage usage = {0};
	int cpu = sched_getcpu();

	(void)getrusage(RUSAGE_SELF, &usage);
	/* Clock and throttling are of the caller's processor: launches of one thread run there. */
	*out = (struct device_state){
		.mhz = s->clock ? read_number(cpu, CLOCK) / 1000 : 0,
		.interrupts = usage.ru_nivcsw,
		.throttles = s->throttles ? read_number(cpu, THROTTLES) : 0,
	};
	for (size_t i = 0; i < s->n; i++)
		out->waited_ns += read_waited(s->fds[i]);
}

void cpu_state_use(const struct cpu_state *s, struct device_use *out)
{
	struct rusage usage = {0};

	(void)getrusage(RUSAGE_SELF, &usage);
	*out = (struct device_use){.faults = usage.ru_minflt + usage.ru_majflt,
				   .switches = usage.ru_nvcsw + usage.ru_nivcsw};
	for (size_t i = 0; i < s->n; i++)
		out->busy_ns += cpu_state_thread_ns(s->ids[i]);
}

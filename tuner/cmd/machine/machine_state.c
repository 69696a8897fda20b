#include "tuner/cmd/machine/machine_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/cmd/command.h"
#include "tuner/device/libs/nvml.h"
#include "tuner/process/proc.h"
#include "tuner/process/proc_apart.h"

bool machine_is_idle(char *text, size_t size)
{
	const long threads = sysconf(_SC_NPROCESSORS_ONLN);
	double load;

	if (threads < 1 || getloadavg(&load, 1) != 1) {
		(void)snprintf(text, size, "the system does not tell its load");
		return true;
	}
	/* Half of the hardware threads: beyond it, kernels share cores with the load. */
	const bool idle = 2 * load <= (double)threads;

	(void)snprintf(text, size,
		       idle ? "load %.1f"
			    : "load %.1f on %ld thread%s: the machine is busy, expect noisy times",
		       load, threads, threads == 1 ? "" : "s");
	return idle;
}

struct gpu_question {
	char bus[64];
};

struct gpu_answer {
	unsigned processes;
};

/* A proc_apart_fn: this process opens no library of a device. */
static enum asc_status count_processes(const void *question, void *answer, struct asc_err *e)
{
	const struct gpu_question *q = question;
	struct gpu_answer *a = answer;
	struct nvml_device *d = nvml_device_find(q->bus);

	(void)e;
	if (d && !nvml_device_count_processes(d, &a->processes))
		a->processes = 0;
	nvml_device_free(d);
	return ASC_OK;
}

bool machine_is_ours(const char *bus, char *text, size_t size)
{
	struct gpu_question q = {""};
	struct gpu_answer a = {0};
	struct asc_err none;

	(void)snprintf(q.bus, sizeof q.bus, "%s", bus);
	if (*bus && proc_apart(count_processes, &q, &a, sizeof a, PROC_APART_DRIVER_NS, &none))
		a.processes = 0;
	if (a.processes > 0) {
		(void)snprintf(text, size, "%u other process%s the GPU: expect noisy times",
			       a.processes, a.processes == 1 ? " uses" : "es use");
		return false;
	}
	if (!machine_is_idle(text, size))
		return false;
	*text = '\0';
	return true;
}

bool machine_is_steady(char *text, size_t size)
{
	/* The first processor's stands for all: governors are set for a machine. */
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

/* ---- the sandbox ---- */

enum asc_status sandbox_state_try(struct asc_err *e)
{
	static const int64_t limit_ns = INT64_C(10000000000); /* of a program that prints a line */
	struct buf said = {0};
	char *program;
	int status;

	if (places_program(&program, e))
		return e->status;
	enum asc_status s = proc_run((const char *const[]){program, "--version", NULL},
				     &(struct sandbox){0}, limit_ns, 0, &said, &status, e);
	buf_fini(&said);
	free(program);
	return s;
}

const char *sandbox_state_reason(enum sandbox_part part, char *text, size_t size)
{
	(void)sandbox_reason(part, text, size);
	if (!*text && sandbox_missing() & 1U << part)
		(void)snprintf(text, size, "the kernel refuses it");
	return text;
}

enum asc_status sandbox_state_require(struct asc_err *e)
{
	/* The other parts keep a kernel from harming this run, not from reading what it may not. */
	static const enum sandbox_part needed[] = {SANDBOX_FILES, SANDBOX_NETWORK};
	char reason[256];

	sandbox_require();
	if (sandbox_state_try(e))
		return e->status;
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (*sandbox_state_reason(needed[i], reason, sizeof reason))
			return asc_err_set(e, ASC_ABSENT,
					   "--untrusted needs a sandbox for the %s of kernels and "
					   "compilers, which is not here: %s",
					   sandbox_part_name(needed[i]), reason);
	return ASC_OK;
}

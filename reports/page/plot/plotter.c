#include "reports/page/plot/plotter.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"

enum { MAJOR = 5, MINOR = 4, VERSION_BYTES = 4096 };

static const char name[] = "gnuplot ";
static const int64_t second_ns = 1000000000;

static size_t processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return 1;
	int n = CPU_COUNT(&set);
	return n > 0 ? (size_t)n : 1;
}

static const char install[] = "sudo apt-get install gnuplot-nox";

static void refuse(struct plotter *g, const char *reason)
{
	free(g->program);
	g->program = NULL;
	(void)snprintf(g->reason, sizeof g->reason, "%.250s", reason);
}

/* "gnuplot 5.4 patchlevel 4" */
static bool parse_version(const char *said, long *major, long *minor)
{
	char *end;

	if (strncmp(said, name, sizeof name - 1) != 0)
		return false;
	*major = strtol(said + sizeof name - 1, &end, 10);
	if (*end != '.')
		return false;
	const char *behind = end + 1;
	*minor = strtol(behind, &end, 10);
	return end != behind;
}

static void take_version(struct plotter *g, const char *said)
{
	long major, minor;
	char reason[sizeof g->reason];

	if (!parse_version(said, &major, &minor)) {
		(void)snprintf(reason, sizeof reason, "%.120s does not answer as gnuplot does",
			       g->program);
		refuse(g, reason);
		return;
	}
	said += sizeof name - 1;
	(void)snprintf(g->version, sizeof g->version, "%.*s", (int)strcspn(said, "\n"), said);
	if (major < MAJOR || (major == MAJOR && minor < MINOR)) {
		(void)snprintf(reason, sizeof reason,
			       "gnuplot %.20s is older than %d.%d, which pictures need", g->version,
			       MAJOR, MINOR);
		refuse(g, reason);
	}
}

static enum asc_status ask_version(struct plotter *g, struct asc_err *e)
{
	struct buf said = {0};
	int status = 0;
	const char *const argv[] = {g->program, "--version", NULL};
	enum asc_status s = proc_run(argv, &(struct sandbox){0}, 5 * second_ns, VERSION_BYTES,
				     &said, &status, e);

	if (s == ASC_OK)
		take_version(g, buf_str(&said));
	else if (s != ASC_NOMEM)
		refuse(g, e->text);
	buf_fini(&said);
	return s == ASC_NOMEM ? s : ASC_OK;
}

enum asc_status plotter_open(struct plotter *g, const char *program, struct asc_err *e)
{
	*g = (struct plotter){.limit_ns = 20 * second_ns, .children = processors()};
	program = program ? program : "gnuplot";
	g->program = proc_find(program);
	if (g->program)
		return ask_version(g, e);
	(void)snprintf(g->reason, sizeof g->reason, "%.120s is not installed", program);
	g->remedy = install;
	return ASC_OK;
}

void plotter_close(struct plotter *g)
{
	free(g->program);
	g->program = NULL;
}

#include "reports/plot/plot_child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "reports/plot/plotter.h"
#include "tuner/base/units.h"

enum { LOG_BYTES = 65536, MEMORY_BYTES = 1 << 30 };

static void limit_child(pid_t pid, int64_t limit_ns)
{
	rlim_t seconds = (rlim_t)(limit_ns / 1000000000 + 1);
	const struct {
		int what;
		rlim_t most;
	} limits[] = {{RLIMIT_NPROC, 0},
		      {RLIMIT_CORE, 0},
		      {RLIMIT_FSIZE, PLOT_CHILD_BYTES},
		      {RLIMIT_AS, MEMORY_BYTES},
		      {RLIMIT_CPU, seconds}};

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		(void)prlimit(pid, (__rlimit_resource_t)limits[i].what,
			      &(struct rlimit){limits[i].most, limits[i].most}, NULL);
}

/* The child waits for its first line until the limits are set. */
enum asc_status plot_child_start(struct plot_child *c, const struct plotter *g, const char *folder,
				 const char *script, struct asc_err *e)
{
	char path[4200];
	const char *const argv[] = {g->program, "-d", "/dev/stdin", NULL};
	const char *const variables[] = {"LC_ALL=C.UTF-8", path, NULL};
	const struct proc_options o = {.argv = argv,
				       .folder = folder,
				       .variables = variables,
				       .alone = true,
				       .feed = true,
				       .capture = true};
	char line[60];
	const char *search = getenv("PATH");
	(void)snprintf(path, sizeof path, "PATH=%.4000s", search ? search : "");
	enum asc_status s = proc_start(&c->proc, &o, e);

	if (s)
		return s;
	limit_child(c->proc.pid, g->limit_ns);
	(void)snprintf(line, sizeof line, "load '%s'\n", script);
	proc_feed(&c->proc, line);
	c->started_ns = clock_now_ns();
	return ASC_OK;
}

bool plot_child_ended(struct plot_child *c, const struct plotter *g, bool *stopped)
{
	bool ended = proc_ended(&c->proc);

	*stopped = !ended && clock_now_ns() - c->started_ns > g->limit_ns;
	(void)proc_collect(&c->proc, LOG_BYTES, &c->log);
	if (!ended && !*stopped)
		return false;
	proc_kill(&c->proc);
	return true;
}

/* What gnuplot says is wrong: its last line, where lines of the script are shown before it. */
static void print_complaint(const struct plot_child *c, char *text, size_t size)
{
	char end[80];
	const char *log = buf_str(&c->log);
	size_t n = c->log.len;

	while (n && strchr("\n ", log[n - 1]))
		n--;
	size_t start = n;
	while (start && log[start - 1] != '\n')
		start--;
	(void)snprintf(text, size, "gnuplot %s%s%.*s",
		       proc_print_status(c->proc.status, end, sizeof end), n > start ? ": " : "",
		       (int)(n - start), log + start);
}

static bool complains(const struct plot_child *c)
{
	return strstr(buf_str(&c->log), "Cannot find") || strstr(buf_str(&c->log), "Skipping");
}

void plot_child_judge(const struct plot_child *c, const struct plotter *g, bool stopped, char *text,
		      size_t size)
{
	char limit[UNITS_TEXT_SIZE];

	*text = '\0';
	if (stopped)
		(void)snprintf(text, size, "gnuplot was stopped after %s",
			       units_print_duration((double)g->limit_ns, limit));
	else if (!WIFEXITED(c->proc.status) || WEXITSTATUS(c->proc.status) != 0 || complains(c))
		print_complaint(c, text, size);
}

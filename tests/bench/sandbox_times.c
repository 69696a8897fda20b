/* The cost of the sandbox: starts of a worker until it answers, and compilations of one line, each
 * by turns in the sandbox and without.
 *
 *     sandbox_times ASCTUNE FOLDER COUNT
 *
 * prints the medians of the processor time that starter and child take, which other load of the
 * machine changes little, with the difference beside its limit, and wall times. Exit status 1
 * above.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/stats/stats.h"
#include "tuner/base/units.h"
#include "tuner/process/channel.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"

enum { MAX_COUNT = 10000 };
static const int64_t LIMIT_NS = INT64_C(60000000000);

static struct asc_err e;
static const char *program, *folder;
static char source[4096], object[4096];

/* Nanoseconds from the start of a worker to its first answer; -1: none came. */
static int64_t start_worker(const struct sandbox *s)
{
	const char *const argv[] = {program, "worker", NULL};
	const struct proc_options o = {
		.argv = argv, .capture = true, .channel = true, .sandbox = s};
	struct channel c;
	struct proc p;
	struct json_doc *doc = NULL;
	struct buf hello = {0};
	const int64_t start = clock_now_ns();

	if (proc_start(&p, &o, &e))
		return -1;
	channel_init(&c, p.channel);
	buf_add_str(&hello, "{\"do\":\"hello\",\"version\":0}");
	bool told =
		!channel_send(&c, &hello, &e) && !channel_receive(&c, LIMIT_NS, &doc, &e) && doc;
	const int64_t end = clock_now_ns();
	json_close(doc);
	buf_fini(&hello);
	channel_fini(&c);
	proc_kill(&p);
	return told ? end - start : -1;
}

static int64_t compile(const struct sandbox *s)
{
	const char *const argv[] = {"cc", "-shared", "-fPIC", "-o", object, source, NULL};
	struct buf said = {0};
	int status = -1;
	const int64_t start = clock_now_ns();
	const bool ran = !proc_run(argv, s, LIMIT_NS, 4096, &said, &status, &e);
	const int64_t end = clock_now_ns();

	if (!ran || status)
		(void)fprintf(stderr, "%s\n", ran ? buf_str(&said) : e.text);
	buf_fini(&said);
	return ran && !status ? end - start : -1;
}

/* Processor time of this process and of children that have ended. */
static double spent_ns(void)
{
	const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
	double ns = 0;

	for (int i = 0; i < 2; i++) {
		struct rusage r;

		(void)getrusage(whose[i], &r);
		ns += 1e9 * (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
		      1e3 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
	}
	return ns;
}

struct times { /* of one side: in the sandbox, or not */
	double wall[MAX_COUNT], spent[MAX_COUNT];
};

static bool add(struct times *t, size_t i, int64_t (*once)(const struct sandbox *),
		const struct sandbox *s)
{
	const double before = spent_ns();

	t->wall[i] = (double)once(s);
	t->spent[i] = spent_ns() - before;
	return t->wall[i] >= 0;
}

static int measure(const char *what, int64_t (*once)(const struct sandbox *), size_t n,
		   double limit_ns)
{
	static struct times in, out;
	const char *const named[] = {source, NULL};
	const struct sandbox box = {.own = folder, .named = named, .limit_ns = LIMIT_NS};
	char text[5][UNITS_TEXT_SIZE], limit[UNITS_TEXT_SIZE];

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < 2; k++)
			if (!(i % 2 == k ? add(&in, i, once, &box) : add(&out, i, once, NULL)))
				return fprintf(stderr, "%s: %s\n", what, e.text), 1;
	const double with = stats_select_median(in.spent, n);
	const double without = stats_select_median(out.spent, n);

	printf("%s, %zu times: %s of a processor in the sandbox, %s without, %s more (limit %s); "
	       "wall %s and %s\n",
	       what, n, units_print_duration(with, text[0]), units_print_duration(without, text[1]),
	       with > without ? units_print_duration(with - without, text[2]) : "nothing",
	       units_print_duration(limit_ns, limit),
	       units_print_duration(stats_select_median(in.wall, n), text[3]),
	       units_print_duration(stats_select_median(out.wall, n), text[4]));
	return with - without > limit_ns;
}

int main(int argc, char **argv)
{
	static const char line[] = "int one(int a) { return a + 1; }\n";
	const size_t n = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;

	if (n < 1 || n > MAX_COUNT)
		return fprintf(stderr, "sandbox_times ASCTUNE FOLDER COUNT\n"), 2;
	program = argv[1];
	folder = argv[2];
	(void)snprintf(source, sizeof source, "%s/line.c", folder);
	(void)snprintf(object, sizeof object, "%s/line.so", folder);
	if (file_write(source, line, sizeof line - 1, &e))
		return fprintf(stderr, "%s\n", e.text), 2;
	for (enum sandbox_part p = 0; p < SANDBOX_N_PARTS; p++) {
		char why[200];

		if (*sandbox_reason(p, why, sizeof why))
			printf("not measured: %s: %s\n", sandbox_part_name(p), why);
	}
	int failed = measure("a worker's start", start_worker, n, 2e6);

	return measure("a compilation", compile, n, 1e6) | failed;
}

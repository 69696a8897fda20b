/* System calls and allocations fail, one at a time or from one on, in whole commands:
 *
 *   t-inject.t [--points N|all] [--trace] [SCENARIO [PROCESS [CALL [N]]]]
 *
 * tries N points of each kind of call, spread over those of an undisturbed command, or all; of a
 * kind that has two errors and two ways to fail, in turn, or each.
 * slow: 20 s
 * covers: channel.c record_trial.c cache.c proc_spawn.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/inject/scenario.h"
#include "tests/tap.h"

static const char *const process_names[] = {
#define X(code, name) name,
	INJECT_PROCESSES(X)
#undef X
};

static const struct {
	const char *name;
	int errors[2];
} calls[] = {
#define X(code, name, error, other) {name, {error, other}},
	INJECT_CALLS(X)
#undef X
};

struct options {
	long points; /* 0: the default; -1: all */
	bool trace;
	const char *words[4]; /* scenario, process, call, n */
};

static bool is_meant(const char *word, const char *name)
{
	return !word || strcmp(word, name) == 0;
}

/* The ways in which the n-th call may fail. */
static size_t list_ways(enum inject_call call, struct injection ways[3])
{
	const int *errors = calls[call].errors;
	size_t n = 0;

	ways[n++] = (struct injection){.call = call, .error = errors[0], .ever = true};
	ways[n++] = (struct injection){.call = call, .error = errors[0]};
	if (errors[1])
		ways[n++] = (struct injection){.call = call, .error = errors[1]};
	return n;
}

/* A run takes a hundred times as long as a question to a database. */
static long count_points(const struct options *o, const struct scenario *c, enum inject_call call)
{
	if (o->points)
		return o->points;
	if (c->run || c->plots)
		return 1;
	return call == INJECT_MALLOC ? 8 : 4;
}

struct totals {
	long tried, reached, wrong;
};

static void try_one(struct scene *s, const struct injection *what, struct totals *t)
{
	bool reached;
	const bool ok = scene_try(s, what, &reached);

	t->tried++;
	t->reached += reached;
	t->wrong += !ok;
	if (!ok)
		tap_note("%s %s %s %ld (%s%s)", s->scenario->name, process_names[what->process],
			 calls[what->call].name, what->n, strerror(what->error),
			 what->ever ? ", and ever after" : "");
}

static struct totals try_call(struct scene *s, const struct options *o, enum inject_process p,
			      enum inject_call call, long count)
{
	const long points = count_points(o, s->scenario, call);
	const long only = o->words[3] ? atol(o->words[3]) : 0;
	const long some = only ? 1 : points < 0 || points > count ? count : points;
	struct totals t = {0};
	struct injection ways[3];
	const size_t n_ways = list_ways(call, ways);

	for (long i = 0; i < some; i++)
		for (size_t w = 0; w < n_ways; w++) {
			struct injection what = ways[w];
			what.process = p;
			what.n = only ? only : 1 + i * count / some + count / some / 2;
			what.trace = o->trace;
			/* Where there is one point, kinds of process and call differ in their way.
			 */
			if (points < 0 || ((size_t)(i + p) + call) % n_ways == w)
				try_one(s, &what, &t);
		}
	return t;
}

static void try_scenario(struct scene *s, const struct options *o, const struct scenario *c,
			 struct totals *all)
{
	long counts[INJECT_PROCESS_COUNT][INJECT_CALL_COUNT];

	if (!tap_ok(scene_enter(s, c), "%s: ends well when nothing fails", c->name))
		return;
	for (int p = 0; p < INJECT_PROCESS_COUNT; p++)
		for (int k = 0; k < INJECT_CALL_COUNT; k++)
			counts[p][k] = s->injector.state->count[p][k];
	for (int p = 0; p < INJECT_OTHER; p++)
		for (int k = 0; k < INJECT_CALL_COUNT; k++) {
			if (counts[p][k] == 0 || !is_meant(o->words[1], process_names[p]) ||
			    !is_meant(o->words[2], calls[k].name))
				continue;
			const struct totals t = try_call(s, o, (enum inject_process)p,
							 (enum inject_call)k, counts[p][k]);
			tap_int(t.wrong, 0, "%s, %s: %ld failures of %ld calls of %s", c->name,
				process_names[p], t.reached, counts[p][k], calls[k].name);
			all->tried += t.tried;
			all->reached += t.reached;
		}
}

static struct options parse(int argc, char **argv)
{
	struct options o = {0};
	size_t n = 0;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--trace") == 0)
			o.trace = true;
		else if (strcmp(argv[i], "--points") == 0 && i + 1 < argc)
			o.points = strcmp(argv[++i], "all") == 0 ? -1 : atol(argv[i]);
		else if (n < sizeof o.words / sizeof *o.words)
			o.words[n++] = argv[i];
	return o;
}

int main(int argc, char **argv)
{
	const struct options o = parse(argc, argv);
	struct scene s;
	struct totals all = {0};
	const char *path = getenv("PATH");
	char *with = NULL;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	tap_skip("the sanitizer's allocator cannot be wrapped by the preloaded library");
	return tap_done();
#endif
	if (tap_skip_emulated(
		    "compilers are the machine's own and cannot load the preloaded library"))
		return tap_done();
	if (asprintf(&with, BUILD_FOLDER ":%s", path ? path : "") < 0)
		return 1;
	setenv("PATH", with, 1);
	free(with);
	if (tap_ok(scene_open(&s, INJECT_LIBRARY), "results to work on"))
		for (const struct scenario *c = scenarios; c->name; c++)
			if (is_meant(o.words[0], c->name) &&
			    (!c->on_demand || o.points || o.words[0]))
				try_scenario(&s, &o, c, &all);
	scene_close(&s);
	tap_note("%ld points tried, a call failed at %ld", all.tried, all.reached);
	return tap_done();
}

/* Commands whose calls are made to fail, and what must hold after each failure: success or a
 * message, a sound database with what was printed, whole files or the old ones, nothing left.
 *
 * A scene owns a folder with `base` (a cache, databases and exports of small runs), `template` and
 * `expected` (what a scenario's command finds and leaves), and `point`, where it runs. */
#ifndef ASCTUNE_TESTS_INJECT_SCENARIO_H
#define ASCTUNE_TESTS_INJECT_SCENARIO_H

#include "tests/inject/inject_run.h"

enum { SCENARIO_WORDS = 20, SCENARIO_FILES = 4 };

struct scenario {
	const char *name;
	const char *argv[SCENARIO_WORDS];   /* paths are relative to the folder */
	const char *inputs[SCENARIO_FILES]; /* copied from the scene's base */
	const char *db; /* the database that is looked at afterwards; NULL: none */
	bool run;       /* trials are printed and recorded one by one; else all or none */
	bool plots;     /* gnuplot may be found */
	bool on_demand; /* like another one: only with --points, or by its name */
};

extern const struct scenario scenarios[]; /* ended by one without a name */

/* What an undisturbed command did. */
struct expectation {
	struct buf output, messages;
	int status;
	/* Trials in the database, -1: there is none; and where one input of several is in it. */
	long before, after, first, second;
};

struct scene {
	struct injector injector;
	char folder[4000];
	const struct scenario *scenario;
	struct expectation expected;
};

/* False after TAP notes. Results of small runs are made, without failures. */
bool scene_open(struct scene *s, const char *library);
void scene_close(struct scene *s);

/* Runs a scenario's command undisturbed; its calls are counted in the injector's state afterwards.
 * False after TAP notes. */
bool scene_enter(struct scene *s, const struct scenario *c);

/* Runs it with a failing call. False after TAP notes where something does not hold; *reached: a
 * call failed. */
bool scene_try(struct scene *s, const struct injection *what, bool *reached);

#endif

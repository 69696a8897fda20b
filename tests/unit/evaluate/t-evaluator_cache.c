/* What the worker evaluator has in its cache, and what it does without: artifacts and references
 * that were damaged or removed.
 * covers: evaluator_worker.c prerequisites.c kernel_build.c */
#include "tuner/tune/evaluate/evaluator.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/tap.h"
#include "tests/unit/evaluate/eval.h"
#include "tuner/base/file.h"

static int damaged_files;

/* Measures in an evaluator of its own; `cached`: the artifact was built before. */
static void test_measured(const struct binding *b, bool cached)
{
	const struct eval_setting o = eval_options(b);
	struct evaluator *v;
	struct eval_done done;
	struct asc_err e;

	if (!tap_int(eval_open(&o, &v, &e), ASC_OK, "an evaluator of its own"))
		return;
	eval_submit(v, "scale", NOTHING, 0);
	if (tap_ok(eval_take(v, &done), "measures")) {
		eval_check_good(&done.result);
		tap_ok(done.result.cached == cached, "what the cache %s", cached ? "has" : "lacks");
		result_fini(&done.result);
	}
	eval_close(v);
}

static int damage_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
	const char *dot = strrchr(path, '.');
	FILE *f = type == FTW_F && dot && strcmp(dot, ".f64") == 0 ? fopen(path, "r+") : NULL;

	(void)at;
	if (!f)
		return 0;
	fseek(f, (long)st->st_size / 2, SEEK_SET);
	for (int i = 0; i < 64; i++)
		fputc(0, f);
	fclose(f);
	damaged_files++;
	return 0;
}

/* A reference that a disk has damaged is worked out again, not believed. */
static void test_damaged_reference(const struct binding *b)
{
	(void)nftw(eval.folder, damage_file, 16, FTW_PHYS);
	tap_ok(damaged_files > 0, "the reference is damaged");
	test_measured(b, true);
}

static void remove_from(const char *cache, const char *what)
{
	char *path = path_join(cache, what);

	dir_remove(path);
	tap_ok(!file_exists(path), "%s are removed", what);
	free(path);
}

/* Empties the cache and has the worker crash: the next one needs the reference. */
static bool empty_cache(struct evaluator *v, const char *cache, int round)
{
	struct eval_done done;

	remove_from(cache, "artifacts");
	remove_from(cache, "reference");
	eval_submit(v, "scale", ABORT, round);
	eval_submit(v, "scale", NOTHING, round);
	for (int i = 0; i < 2; i++) {
		if (!tap_ok(eval_take(v, &done), "round %d: the run goes on", round))
			return false;
		tap_str(result_status_name(done.result.status), i ? "ok" : "crashed",
			"round %d: its result", round);
		result_fini(&done.result);
	}
	return true;
}

/* A cache that is emptied during a run is filled again when the next worker needs the reference, at
 * whatever moment its build ends: several rounds meet several. */
static void test_emptied_cache(const struct binding *b)
{
	enum { ROUNDS = 5 };
	struct eval_setting o = eval_options(b);
	char *cache = path_join(eval.folder, "emptied");
	struct evaluator *v;
	struct eval_done done;
	struct asc_err e;

	o.target.cache = cache;
	if (tap_int(eval_open(&o, &v, &e), ASC_OK, "a cache of its own")) {
		eval_submit(v, "scale", NOTHING, 0);
		if (eval_take(v, &done))
			result_fini(&done.result);
		for (int i = 1; i <= ROUNDS && empty_cache(v, cache, i); i++)
			;
		eval_close(v);
	}
	free(cache);
}

static void test(struct binding *small)
{
	test_measured(small, false);
	test_measured(small, true);
	test_damaged_reference(small);
	test_emptied_cache(small);
}

int main(int argc, char **argv)
{
	return eval_main(argc, argv, test);
}

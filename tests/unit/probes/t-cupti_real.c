/* Counters of the program's metrics by the real libcupti 13.0, which tells without a GPU which a
 * chip has and in how many passes: $ASCTUNE_TEST_CUPTI is its path (`ci/setup cupti`), else this is
 * skipped.
 * covers: cupti_range.c cupti_probe.c */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "probes/metrics/metric_book.h"
#include "probes/probe.h"
#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/device/libs/cupti_range.h"

enum { CHIPS = 4 };
static const char *const chips[CHIPS] = {"GA100", "AD102", "GH100", "GB202"};
static struct asc_err e;

/* Passes of single counters as another program had them from the same library (its host interface
 * alone, CUPTI 13.0.85, no GPU); on a GH100 the passes that were made were as many. */
static void test_single(void)
{
	static const struct {
		const char *counter;
		size_t passes[CHIPS];
	} known[] = {
		{"gpu__time_duration.sum", {1, 1, 1, 1}},
		{"sm__throughput.avg.pct_of_peak_sustained_elapsed", {5, 6, 8, 8}},
		{"lts__throughput.avg.pct_of_peak_sustained_elapsed", {9, 4, 4, 4}},
		{"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", {8, 5, 5, 5}},
		{"lts__t_sector_hit_rate.pct", {2, 2, 2, 2}},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		for (size_t k = 0; k < CHIPS; k++) {
			const char *const *names;
			struct cupti_counters *c;
			size_t n, passes = 0;

			if (!tap_int(cupti_counters_open(chips[k], &c, &e), ASC_OK, "%s", chips[k]))
				continue;
			tap_int(cupti_counters_choose(c, &known[i].counter, 1, &names, &n, &passes,
						      &e),
				ASC_OK, "%s of %s", known[i].counter, chips[k]);
			tap_int(passes, known[i].passes[k], "its passes");
			cupti_counters_close(c);
		}
}

/* The sets are made to be counted in one pass and in seven. */
static void test_sets(const struct metric_book *book)
{
	static const struct {
		const char *set;
		size_t passes;
	} sets[] = {{"levels", 1}, {"default", 7}};

	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		for (size_t k = 0; k < CHIPS; k++) {
			struct probe_request r = {.book = book};
			size_t passes = 0;

			tap_int(metric_book_find_set(book, sets[i].set, &r.set, &e), ASC_OK,
				"the set %s", sets[i].set);
			tap_int(probe_cupti.plan(&r, chips[k], &passes, &e), ASC_OK, "on %s",
				chips[k]);
			tap_int(passes, sets[i].passes, "its passes");
		}
}

/* Of the sets for daily use every metric is there on each of the chips, but for those that are of
 * other chips. */
static void test_complete(const struct metric_book *book)
{
	const struct metric_set *set = NULL;
	char counter[128];

	tap_int(metric_book_find_set(book, "default", &set, &e), ASC_OK, "the default set");
	for (size_t k = 0; set && k < CHIPS; k++) {
		size_t missing = 0;

		for (size_t i = 0; set->metrics[i]; i++) {
			const struct metric_def *m = set->metrics[i];
			bool of_chip = false;

			for (size_t f = 0; f < m->n_families; f++)
				of_chip |= fnmatch(m->families[f].chips, chips[k], 0) == 0;
			if (strcmp(m->probe, "cupti") != 0 || !of_chip)
				continue;
			if (probe_cupti.counter(m, chips[k], counter, sizeof counter, &e) ||
			    !*counter) {
				tap_note("%s lacks %s", chips[k], m->name);
				missing++;
			}
		}
		tap_int(missing, 0, "%s has all of it", chips[k]);
	}
}

static bool known_to_some(const char *counter, const char *pattern, const char *const *names,
			  struct cupti_counters *const *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (all[i] && fnmatch(pattern, names[i], 0) == 0 &&
		    cupti_counters_has(all[i], counter))
			return true;
	return false;
}

/* A name that is misspelt would never be counted, and nobody would miss it. */
static void test_names(const struct metric_book *book)
{
	struct cupti_counters *all[64] = {NULL};
	const char *const *names = NULL;
	const struct metric_def *m;
	size_t n = 0, counters = 0, unknown = 0;

	tap_int(cupti_chips(&names, &n, &e), ASC_OK, "all chips");
	tap_int(n, 30, "of this release");
	for (size_t i = 0; i < n && i < 64; i++) /* GV11B is listed, but has none */
		(void)cupti_counters_open(names[i], &all[i], &e);
	for (size_t i = 0; (m = metric_book_metric(book, i)); i++) {
		if (strcmp(m->probe, "cupti") != 0)
			continue;
		for (size_t f = 0; f < m->n_families; f++)
			for (const char *const *c = m->families[f].counters; *c; c++) {
				counters++;
				if (known_to_some(*c, m->families[f].chips, names, all, n))
					continue;
				tap_note("%s: no chip of %s has %s", m->name, m->families[f].chips,
					 *c);
				unknown++;
			}
	}
	tap_ok(counters >= 50, "%zu counters of the program's metrics", counters);
	tap_int(unknown, 0, "are known to a chip each");
	for (size_t i = 0; i < n && i < 64; i++)
		cupti_counters_close(all[i]);
}

int main(void)
{
	const char *file = getenv("ASCTUNE_TEST_CUPTI");
	struct metric_book *book = NULL;
	char reason[256];

	if (!file || !file_exists(file)) {
		tap_skip("$ASCTUNE_TEST_CUPTI names no libcupti (ci/setup cupti)");
		return tap_done();
	}
	tap_int(setenv("ASCTUNE_CUPTI", file, 1), 0, "%s", file);
	if (!tap_ok(cupti_range_check(reason, sizeof reason), "has counters: %s", reason) ||
	    !tap_int(metric_book_open(NULL, 0, &book, &e), ASC_OK, "the program's metrics"))
		return tap_done();
	test_single();
	test_sets(book);
	test_complete(book);
	test_names(book);
	metric_book_free(book);
	return tap_done();
}

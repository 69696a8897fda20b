#include "tuner/tune/tally.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"

struct tallied {
	const char *implementation;
	char *config;
	enum result_status status;
	struct error_norms errors;
};

/* Same values summed in another order differ in their last bits, and so do errors of outputs beside
 * a reference that is far off; errors of two different mistakes do not meet so closely in all of
 * number, greatest and mean. */
static const double ALIKE = 0.01;

#define TRIED SIZE_MAX /* a setting that has to stay */

void tally_add(struct tally *t, const char *implementation, const char *config,
	       const struct result *r)
{
	if (t->n == t->room) {
		const size_t room = t->room ? 2 * t->room : 64;
		struct tallied *list = realloc(t->list, room * sizeof *list);

		t->lost |= !list;
		if (!list)
			return;
		t->list = list;
		t->room = room;
	}
	char *copy = str_dup(config);
	t->lost |= !copy;
	if (copy)
		t->list[t->n++] = (struct tallied){implementation, copy, r->status, r->errors};
}

void tally_change(struct tally *t, const char *implementation, const char *config,
		  const struct result *r)
{
	for (size_t i = 0; i < t->n; i++) {
		struct tallied *x = &t->list[i];

		if (strcmp(x->implementation, implementation) == 0 &&
		    strcmp(x->config, config) == 0) {
			x->status = r->status;
			x->errors = r->errors;
			return;
		}
	}
	tally_add(t, implementation, config, r);
}

void tally_fini(struct tally *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->list[i].config);
	free(t->list);
	*t = (struct tally){0};
}

size_t tally_count(const struct tally *t, const char *implementation, enum result_status status,
		   size_t *ended)
{
	size_t n = 0;

	*ended = 0;
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->list[i].implementation, implementation) == 0) {
			n++;
			*ended += t->list[i].status == status;
		}
	return n;
}

/* ---- what failures share ---- */

struct split { /* keys of an implementation's configurations, borrowed */
	const char **failed, **passed;
	size_t n_failed, n_passed;
};

static void split_by(const struct tally *t, const char *implementation, enum result_status status,
		     struct split *s)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct tallied *x = &t->list[i];

		if (strcmp(x->implementation, implementation) != 0)
			continue;
		if (x->status == status)
			s->failed[s->n_failed++] = x->config;
		else if (result_status_timed(x->status))
			s->passed[s->n_passed++] = x->config;
	}
}

/* True where a configuration that passed has all settings of the list but the one at `without`. */
static bool has_passed(const struct split *s, const struct setting *list, size_t n, size_t without)
{
	for (size_t i = 0; i < s->n_passed; i++) {
		bool all = true;

		for (size_t k = 0; all && k < n; k++)
			all = k == without || setting_is_in(&list[k], s->passed[i]);
		if (all)
			return true;
	}
	return false;
}

static size_t count_passed(const struct split *s, const struct setting *one)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_passed; i++)
		n += setting_is_in(one, s->passed[i]);
	return n;
}

/* Drops settings as long as nothing that passed has the rest: first the settings that most passed
 * configurations have, which explain least. */
static void keep_fewest(const struct split *s, struct setting *list, size_t *n)
{
	size_t passed[TALLY_MAX_SETTINGS], tried = 0;

	for (size_t i = 0; i < *n; i++)
		passed[i] = count_passed(s, &list[i]);
	for (size_t all = *n; tried<all && * n> 1; tried++) {
		size_t most = 0;

		for (size_t i = 1; i < *n; i++)
			if (passed[i] != TRIED &&
			    (passed[most] == TRIED || passed[i] >= passed[most]))
				most = i;
		if (has_passed(s, list, *n, most)) { /* without it the rest explains nothing */
			passed[most] = TRIED;
			continue;
		}
		memmove(list + most, list + most + 1, (*n - most - 1) * sizeof *list);
		memmove(passed + most, passed + most + 1, (*n - most - 1) * sizeof *passed);
		--*n;
	}
}

static size_t find_common(const struct split *s, struct setting *out)
{
	struct setting one;
	size_t n = 0;

	/* One failure shares all with itself, and where nothing passed every setting is shared. */
	if (s->n_failed < 2 || s->n_passed == 0)
		return 0;
	for (const char *at = s->failed[0]; n < TALLY_MAX_SETTINGS && setting_next(&at, &one);)
		if (setting_is_common(&one, s->failed, s->n_failed))
			out[n++] = one;
	if (n == 0 || has_passed(s, out, n, n))
		return 0;
	keep_fewest(s, out, &n);
	return n;
}

size_t tally_find_common(const struct tally *t, const char *implementation,
			 enum result_status status, struct setting out[TALLY_MAX_SETTINGS])
{
	struct split s = {.failed = malloc((t->n + 1) * sizeof *s.failed),
			  .passed = malloc((t->n + 1) * sizeof *s.passed)};
	size_t n = 0;

	if (s.failed && s.passed && !t->lost) {
		split_by(t, implementation, status, &s);
		n = find_common(&s, out);
	}
	free(s.failed);
	free(s.passed);
	return n;
}

/* ---- errors that are alike ---- */

static bool is_near(double a, double b)
{
	return fabs(a - b) <= ALIKE * fmax(fabs(a), fabs(b));
}

static bool are_alike(const struct error_norms *a, const struct error_norms *b)
{
	return is_near((double)a->bad, (double)b->bad) && is_near(a->max_abs, b->max_abs) &&
	       is_near(a->mean_abs, b->mean_abs);
}

size_t tally_count_alike(const struct tally *t)
{
	const struct tallied *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct tallied *x = &t->list[i];

		if (result_status_timed(x->status)) /* so the reference is right */
			return 0;
		if (x->status != RESULT_WRONG)
			continue;
		first = first ? first : x;
		if (!x->errors.known || x->errors.bad == 0 || x->errors.not_finite > 0 ||
		    !are_alike(&x->errors, &first->errors))
			return 0;
		n++;
	}
	return n < 2 || t->lost ? 0 : n;
}

/* Score of the strategy `model` on the record of an implementation without and with what its
 * workload tells of a configuration: `search_features RECORD WORKLOAD PROBLEM IMPLEMENTATION DEVICE
 * RUNS PERCENT` prints both, a line of JSON each, with the evaluations to within PERCENT of the
 * best. DEVICE is cpu, this one, or the model of a GPU that was recorded on: h200. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/formats/recorded.h"
#include "tests/h200.h"
#include "tuner/device/device.h"
#include "tuner/tune/replay/replay.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_features.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/space/space.h"

static struct asc_err e;

static void die(void)
{
	fprintf(stderr, "search_features: %s\n", e.text);
	exit(EXIT_FAILURE);
}

/* Features of each recorded configuration, so that several threads may ask for them. */
struct told {
	const struct recorded *recorded;
	size_t n;
	double *list; /* n of each configuration */
};

static void get_told(const void *user, const struct config *c, double *out)
{
	const struct told *t = user;
	uint64_t index = 0;

	(void)space_find(t->recorded->space, c, &index);
	memcpy(out, &t->list[index * t->n], t->n * sizeof *out);
}

static size_t find_param(const struct space *s, const char *name)
{
	for (size_t i = 0; i < space_params(s); i++)
		if (strcmp(space_names(s)[i], name) == 0)
			return i;
	asc_err_set(&e, ASC_INPUT, "the record has no parameter %s", name);
	die();
	return 0;
}

static void fill(struct told *t, const struct implementation *i, const struct binding_features *f)
{
	const struct space *s = t->recorded->space;

	t->list = calloc(t->recorded->n * t->n + 1, sizeof *t->list);
	for (size_t k = 0; t->list && k < t->recorded->n; k++) {
		struct config from, c = {.n = i->n_parameters};

		space_get(s, k, &from);
		for (size_t p = 0; p < c.n; p++)
			c.values[p] = from.values[find_param(s, i->parameters[p].name)];
		binding_features_get(f, &c, &t->list[k * t->n]);
	}
}

/* Finds the facts of a kind of device that is here, or of a GPU that need not be. */
static void find_device(const char *name, struct facts *facts, const char **kind)
{
	const struct device_ops *here = device_find(name);
	static struct device_info info;
	static struct limits limits;

	*kind = here ? here->name : "cuda";
	if (here && here->inspect("", &info, &e))
		die();
	if (!here && strcmp(name, "h200") != 0) {
		asc_err_set(&e, ASC_INPUT, "%s is neither a kind of device nor h200", name);
		die();
	}
	(void)limits_find("sm_90", &limits);
	*facts = here ? info.facts : limits.facts;
	for (int i = 0; !here && i < FACT_COUNT; i++)
		if (h200_facts()->known[i])
			facts_set(facts, (enum fact)i, h200_facts()->value[i]);
}

static void print_score(const struct recorded *r, const struct strategy_features *f, uint64_t runs,
			double within)
{
	const struct replay_subject subject = {&r, 1, r};
	struct replay_options o = {.strategy = strategy_find("model"),
				   .runs = runs,
				   .seed = 1,
				   .ahead = 1,
				   .within = within};
	static struct replay_summary s;

	o.features = *f;
	if (replay(&subject, &o, &s, &e))
		die();
	printf("{\"features\": %zu, \"score\": %.4f, \"evaluations_within\": %.1f, \"cpu_s\": "
	       "%.4f}\n",
	       f->n, s.score.mean, s.evals_within, s.cpu_s);
}

int main(int argc, char **argv)
{
	struct binding_features *f = NULL;
	struct recorded *r = NULL;
	struct workload *w = NULL;
	struct binding b;
	struct facts facts;
	const char *kind;

	if (argc != 8) {
		fprintf(stderr, "usage: search_features RECORD WORKLOAD PROBLEM IMPLEMENTATION "
				"DEVICE RUNS PERCENT\n");
		return EXIT_FAILURE;
	}
	if (recorded_open(argv[1], &r, &e) || workload_open(argv[2], &w, &e))
		die();
	const struct problem *p = workload_find_problem(w, argv[3]);
	const struct implementation *i = workload_find_implementation(w, argv[4]);

	find_device(argv[5], &facts, &kind);
	if (!p || !i)
		asc_err_set(&e, ASC_INPUT, "%s has no such problem or implementation", argv[2]);
	if (!p || !i || binding_init(&b, w, p, kind, &facts, &e) ||
	    binding_features_new(&b, i, STRATEGY_MAX_FEATURES, &f, &e))
		die();
	struct told told = {.recorded = r, .n = binding_features_count(f)};
	const struct strategy_features none = {0}, all = {told.n, get_told, &told};
	const uint64_t runs = strtoull(argv[6], NULL, 10);
	const double within = strtod(argv[7], NULL) / 100;

	fill(&told, i, f);
	print_score(r, &none, runs, within);
	print_score(r, &all, runs, within);
	free(told.list);
	binding_features_free(f);
	binding_fini(&b);
	workload_close(w);
	recorded_close(r);
	return 0;
}

#include "tuner/tune/answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "db/run_view.h"
#include "reports/results/best.h"
#include "reports/results/today.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/loop_summary.h"
#include "tuner/tune/recorder.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/workload.h"

struct answer {
	const struct impl_searches *searches;
	const struct workload *workload;
	int64_t asked_run_id; /* the answer is to be of the finals of this run; 0: of any */
	struct loop_summary *out;
	int64_t final_run_id, trial_id;
	struct buf key, default_key; /* configurations of the best and of the default that it is
					compared with */
	char code[64];               /* of the best, as in struct db_run_final; "": not known */
	bool found;
};

/* ---- words ---- */

static const struct impl_search *find_search(const struct answer *a, const char *implementation)
{
	for (size_t i = 0; i < a->searches->n; i++)
		if (strcmp(a->searches->list[i].implementation->name, implementation) == 0)
			return &a->searches->list[i];
	return NULL;
}

/* Implementation of a name: the workload's, or one that it no longer has. */
static const char *keep_name(struct answer *a, const char *name)
{
	const struct implementation *i = workload_find_implementation(a->workload, name);
	char **foreign = a->out->foreign;

	if (i)
		return i->name;
	while (*foreign && strcmp(*foreign, name) != 0)
		foreign++;
	if (!*foreign)
		*foreign = str_dup(name);
	return *foreign ? *foreign : "";
}

/* Prints a configuration, in file order where its space is open. */
static void print_config(const struct answer *a, const char *implementation, const char *key,
			 struct buf *out)
{
	const struct impl_search *search = find_search(a, implementation);
	struct config c;
	struct asc_err ignored;

	buf_clear(out);
	if (search && config_parse(key, space_names(search->space), space_params(search->space), &c,
				   &ignored) == ASC_OK)
		config_print(&c, space_names(search->space), out);
	else
		buf_add_str(out, key);
}

static struct stats_interval make_interval(double low, double high)
{
	bool known = !isnan(low) && !isnan(high);

	return (struct stats_interval){known, known ? low : 0, known ? high : 0};
}

/* Summary that a row of either kind holds. */
#define SUMMARY(row)                                                                               \
	((struct stats_summary){.n = (size_t)(row)->n_samples,                                     \
				.min = (row)->min_ns,                                              \
				.q1 = (row)->q1_ns,                                                \
				.median = (row)->median_ns,                                        \
				.q3 = (row)->q3_ns,                                                \
				.max = (row)->max_ns,                                              \
				.interval = make_interval((row)->low_ns, (row)->high_ns)})

/* Takes the summary of the search's own trial where the answer is that; else only the median is
 * known. */
static void take_median(struct answer *a, struct loop_trial *t, const char *implementation,
			const char *key, double median_ns)
{
	struct buf config = {0};

	print_config(a, implementation, key, &config);
	if (!t->found || strcmp(t->implementation, implementation) != 0 ||
	    strcmp(buf_str(&t->config), buf_str(&config)) != 0 || t->time.median != median_ns) {
		t->found = t->recorded = true;
		t->implementation = keep_name(a, implementation);
		t->time = (struct stats_summary){.median = median_ns};
		buf_clear(&t->config);
		buf_add_str(&t->config, buf_str(&config));
	}
	buf_fini(&config);
}

/* ---- the best ---- */

/* Takes the ratios to baselines. One of another moment is `recorded`, unless it is a finalist. */
static void take_baselines(struct loop_summary *out, const struct baselines *rows)
{
	for (size_t i = 0; i < BASELINES_MAX; i++) {
		struct loop_baseline *b = &out->baselines[i];

		b->raced = false;
		b->trial.ratio = rows->list[i].ratio;
		b->trial.recorded |= b->trial.found && rows->list[i].ns != b->trial.time.median;
	}
}

static enum asc_status take_best(void *user, const struct best_row *row, struct asc_err *e)
{
	struct answer *a = user;
	struct loop_summary *out = a->out;

	if (a->asked_run_id && row->final_run_id != a->asked_run_id)
		return ASC_OK;
	a->found = out->best.found = true;
	a->trial_id = row->trial_id;
	a->final_run_id = row->final_run_id;
	buf_add_str(&a->key, row->config_key);
	buf_add_str(&a->default_key, row->default_key ? row->default_key : "");
	out->best.implementation = keep_name(a, row->implementation);
	print_config(a, row->implementation, row->config_key, &out->best.config);
	out->best.time = SUMMARY(row);
	out->best.clock_mhz = row->clock_mhz;
	out->best.host_ns = row->host_ns;
	out->sure = (struct sureness){sure_parse(row->sure), (size_t)row->n_ties, row->noise_pct};
	out->energy = row->energy;
	out->n_finalists = 0; /* those of an answer by time that was taken before */
	out->answer_run_id = row->final_run_id ? row->final_run_id : row->run_id;
	out->default_trial.ratio = row->vs_default;
	if (row->default_ns > 0)
		take_median(a, &out->default_trial, row->implementation, row->default_key,
			    row->default_ns);
	else
		out->default_trial.found = false;
	take_baselines(out, &row->baselines);
	return buf_check(&a->key, e) ? e->status : buf_check(&a->default_key, e);
}

/* ---- its finals ---- */

static void take_rounds(struct loop_trial *t, const struct loop_finalist *f)
{
	t->found = true;
	t->recorded = false;
	t->implementation = f->implementation;
	t->time = f->time;
	t->clock_mhz = f->clock_mhz;
	buf_clear(&t->config);
	buf_add_str(&t->config, buf_str(&f->config));
}

static enum asc_status take_final(void *user, const struct db_run_final *row, struct asc_err *e)
{
	struct answer *a = user;
	struct loop_summary *out = a->out;
	const struct impl_search *search = find_search(a, row->implementation);

	if (out->n_finalists == FINALISTS_MAX) /* of another program, or a later version */
		return ASC_OK;
	struct loop_finalist *f = &out->finalists[out->n_finalists++];

	f->implementation = keep_name(a, row->implementation);
	print_config(a, row->implementation, row->config_key, &f->config);
	f->time = SUMMARY(row);
	f->clock_mhz = isnan(row->clock_mhz) ? 0 : row->clock_mhz;
	f->ratio = row->ratio;
	f->interval = make_interval(row->ratio_low, row->ratio_high);
	f->standing = row->standing;
	f->winner = strcmp(f->implementation, out->best.implementation) == 0 &&
		    strcmp(row->config_key, buf_str(&a->key)) == 0;
	if (f->winner) /* the first row */
		(void)snprintf(a->code, sizeof a->code, "%s", row->code ? row->code : "");
	f->same_code = !f->winner && *a->code && row->code && strcmp(row->code, a->code) == 0;
	if (out->default_trial.found && strcmp(row->config_key, buf_str(&a->default_key)) == 0 &&
	    strcmp(f->implementation, out->best.implementation) == 0)
		take_rounds(&out->default_trial, f);
	/* The fastest finalist of the baseline counts, whichever the search had found. */
	struct loop_baseline *b =
		search && search->baseline ? &out->baselines[search->baseline - 1] : NULL;

	if (b && (!b->raced || f->time.median < b->trial.time.median)) {
		take_rounds(&b->trial, f);
		b->raced = true;
	}
	return buf_check(&f->config, e);
}

/* Takes the errors from the verification of its trial. */
static enum asc_status take_errors(struct answer *a, struct db *d, struct asc_err *e)
{
	struct result r;
	struct buf rewrites = {0};
	enum asc_status status = db_get_trial(d, a->trial_id, &r, &rewrites, e);

	if (status == ASC_OK) {
		a->out->best.errors = r.errors;
		a->out->best.verified_by = r.verified_by;
	}
	result_fini(&r);
	buf_fini(&rewrites);
	return status;
}

/* The run asks the database as every other command does, so that all say the same: which
 * configuration is the best, what stood beside it in the finals, and what its verification found.
 * The summary has the numbers of the search until then, which are replaced where the rounds of the
 * finals have better ones. With --bits default the finals of this run alone have compared bits with
 * the default's: no other answer counts. */
enum asc_status answer_take(struct recorder *j, const struct loop_options *o, enum objective by,
			    const struct impl_searches *searches, struct loop_summary *out,
			    struct asc_err *e)
{
	struct answer a = {.searches = searches,
			   .workload = o->workload,
			   .asked_run_id = o->default_bits ? j->run_id : 0,
			   .out = out};
	int64_t start = clock_now_ns();
	struct asc_err unkept;
	/* The answers are kept now, since all results are recorded: so they are worked out once,
	 * and found here and by whoever asks later. What cannot be kept is tried again at the end
	 * of the run, which says so. */
	enum asc_status status =
		best_refresh(j->db, &unkept) == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;

	if (status == ASC_OK)
		status = best_find_by(j->db, j->run_id, by, take_best, &a, e);
	if (status == ASC_OK && !a.found) {
		out->best.found = out->default_trial.found = false;
		out->sure = (struct sureness){.sure = SURE_UNUSABLE};
	}
	if (status == ASC_OK && a.final_run_id)
		status = today_each_run_final(j->db, a.final_run_id, take_final, &a, e);
	if (status == ASC_OK && a.found)
		status = take_errors(&a, j->db, e);
	j->spent_ns += clock_now_ns() - start;
	buf_fini(&a.key);
	buf_fini(&a.default_key);
	return status;
}

enum asc_status answer_has_ties(const char *ties_json, answer_has_fn *has, const void *user,
				bool *all, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	struct asc_err other;
	const char *implementation, *key;

	*all = true;
	if (!ties_json || json_open_text("ties", ties_json, strlen(ties_json), &doc, &other))
		return ties_json && other.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
	for (const struct json_node *n = json_first(json_root(doc)); n && *all; n = json_next(n))
		if (!json_get_string(json_find(n, "implementation"), &implementation, &other) &&
		    !json_get_string(json_find(n, "config_key"), &key, &other))
			*all = has(user, implementation, key);
	json_close(doc);
	return ASC_OK;
}

#include "reports/page/parts/page_best.h"

#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_number.h"
#include "reports/results/best.h"
#include "reports/track/repeat.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/result/profile.h"
#include "tuner/result/provenance.h"
#include "tuner/result/roofline.h"
#include "tuner/workload/workload.h"

struct list {
	struct page *p;
	struct page_best *rows;
	size_t n, room;
};

static const char *copy(struct page *p, const char *text)
{
	return text ? page_print(p, "%s", text) : "";
}

/* Lists the parameters of an implementation's launch, ",NAME,"; NULL: it is not there. */
static const char *list_launch(struct page *p, const struct workload *w, const char *name)
{
	const struct implementation *i = workload_find_implementation(w, name);
	struct buf list = {0};

	if (!i)
		return NULL;
	buf_add_char(&list, ',');
	for (size_t k = 0; k < i->n_parameters; k++)
		if (i->parameters[k].stage == STAGE_LAUNCH)
			buf_print(&list, "%s,", i->parameters[k].name);
	const char *text = page_print(p, "%s", buf_str(&list));

	p->out->failed |= list.failed;
	buf_fini(&list);
	return text;
}

/* Finds the parameters of the launch in the workload's file, where that is still what it was. */
static const char *find_launch(struct page *p, const struct best_row *b,
			       const struct provenance *made)
{
	struct buf text = {0};
	struct workload *w = NULL;
	const char *found = NULL;
	struct asc_err e;

	if (made->workload_file && made->workload_hash &&
	    file_read(made->workload_file, WORKLOAD_MAX_BYTES, &text, &e) == ASC_OK &&
	    workload_parse(made->workload_file, buf_str(&text), text.len, &w, &e) == ASC_OK &&
	    strcmp(w->hash, made->workload_hash) == 0)
		found = list_launch(p, w, b->implementation);
	workload_close(w);
	buf_fini(&text);
	return found;
}

/* Finds whether a result came from a source whose compiler takes macros; one that was not recorded
 * has none. */
static enum asc_status find_macros(struct page *p, const struct best_row *b, bool *macros,
				   const char **of_launch, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	struct provenance made;

	*macros = false;
	*of_launch = NULL;
	if (!b->provenance_json)
		return ASC_OK;
	enum asc_status status = json_open_text("provenance", b->provenance_json,
						strlen(b->provenance_json), &doc, e);

	if (status == ASC_OK)
		status = provenance_read(json_root(doc), &made, e);
	const struct json_node *source =
		status == ASC_OK && made.sources ? json_first(made.sources) : NULL;

	*macros = source && workload_source_has_macros(json_key(source));
	if (*macros)
		*of_launch = find_launch(p, b, &made);
	json_close(doc);
	return status == ASC_NOMEM ? status : ASC_OK;
}

/* Finds whether the default may be as fast: it is among the ties of the finals or, where none were
 * held, not all others were shown to be slower. */
static enum asc_status find_default(const struct best_row *b, bool *may_lead, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	const char *implementation, *key;
	enum asc_status status;

	*may_lead = b->final_run_id == 0 && sure_parse(b->sure) != SURE_CLEAR;
	if (b->final_run_id == 0 || !b->ties_json || !b->default_key)
		return ASC_OK;
	status = json_open_text("ties", b->ties_json, strlen(b->ties_json), &doc, e);
	const struct json_node *n = status == ASC_OK ? json_first(json_root(doc)) : NULL;

	for (; n && status == ASC_OK; n = json_next(n)) {
		status = json_get_string(json_find(n, "implementation"), &implementation, e);
		if (status == ASC_OK)
			status = json_get_string(json_find(n, "config_key"), &key, e);
		*may_lead |= status == ASC_OK && strcmp(key, b->default_key) == 0 &&
			     strcmp(implementation, b->implementation) == 0;
	}
	json_close(doc);
	return status;
}

/* NULL for NULL, and when out of memory, which the page knows. */
static char *keep_text(struct page *p, const char *text)
{
	const size_t n = text ? strlen(text) + 1 : 0;
	char *to = text ? page_alloc(p, n) : NULL;

	if (to)
		memcpy(to, text, n);
	return to;
}

/* Copies a profile into the page's memory. */
static const struct profile *keep_profile(struct page *p, const struct profile *of)
{
	struct profile *to = page_alloc(p, sizeof *to);
	struct metric *readings = page_alloc(p, (of->n_readings + 1) * sizeof *readings);

	if (!to || !readings)
		return NULL;
	*to = *of;
	to->readings = readings;
	to->sentence = keep_text(p, of->sentence);
	to->failure = keep_text(p, of->failure);
	for (size_t i = 0; i < of->n_readings; i++) {
		readings[i] = of->readings[i];
		readings[i].reason = keep_text(p, of->readings[i].reason);
	}
	return to;
}

static struct baselines copy_baselines(struct page *p, const struct baselines *b)
{
	struct baselines own = *b;

	for (size_t i = 0; i < own.n; i++)
		own.list[i].name = copy(p, own.list[i].name);
	return own;
}

static enum asc_status add_best(void *user, const struct best_row *b, struct asc_err *e)
{
	struct list *l = user;
	bool macros, default_may_lead;
	const char *of_launch;

	if (find_macros(l->p, b, &macros, &of_launch, e) || find_default(b, &default_may_lead, e))
		return e->status;
	if (!array_room(&l->rows, l->n, &l->room, sizeof *l->rows))
		return asc_err_nomem(e);
	l->rows[l->n++] = (struct page_best){
		.workload = copy(l->p, b->workload),
		.problem = copy(l->p, b->problem),
		.device = copy(l->p, b->device_model && *b->device_model ? b->device_model
									 : b->device_kind),
		.device_kind = copy(l->p, b->device_kind),
		.device_model = copy(l->p, b->device_model),
		.cache_policy = copy(l->p, b->cache_policy),
		.implementation = copy(l->p, b->implementation),
		.config_key = copy(l->p, b->config_key),
		.default_key = copy(l->p, b->default_key),
		.baselines = copy_baselines(l->p, &b->baselines),
		.has_macros = macros,
		.of_launch = of_launch,
		.default_may_lead = default_may_lead,
		.is_default = b->default_key && strcmp(b->default_key, b->config_key) == 0,
		.sure = {sure_parse(b->sure), (size_t)b->n_ties, b->noise_pct},
		.median_ns = b->median_ns,
		.low_ns = b->low_ns,
		.high_ns = b->high_ns,
		.host_ns = b->host_ns,
		.default_ns = b->default_ns,
		.vs_default = b->vs_default,
		.part_pct = 100 * b->attainable_part,
		.part_note = b->attainable_note,
		.run_id = b->final_run_id ? b->final_run_id : b->run_id,
		.final_run_id = b->final_run_id,
		.failed = b->failed,
		.run_budget = copy(l->p, b->run_budget),
		.profile = b->profile ? keep_profile(l->p, b->profile) : NULL,
		.unfinished = repeat_is_unfinished(&(struct repeat_ending){
			.outcome = b->run_outcome, .finals = b->final_run_id != 0}),
	};
	return ASC_OK;
}

enum asc_status page_best_read(struct page *p, struct asc_err *e)
{
	struct list l = {.p = p};
	enum asc_status status = best_each_or_last(p->db, NULL, add_best, &l, e);
	struct page_best *rows = status == ASC_OK ? page_alloc(p, (l.n + 1) * sizeof *rows) : NULL;

	if (rows && l.n)
		memcpy(rows, l.rows, l.n * sizeof *rows);
	if (rows)
		p->n_best = l.n;
	p->best = rows;
	free(l.rows);
	return status == ASC_OK && !rows ? asc_err_nomem(e) : status;
}

const struct page_best *page_best_of_run(const struct page *p, int64_t run_id)
{
	for (size_t i = 0; i < p->n_best; i++)
		if (p->best[i].run_id == run_id)
			return &p->best[i];
	return NULL;
}

int page_best_doubt(const struct page_best *b)
{
	const enum sure sure = b->sure.sure;

	return sure == SURE_UNUSABLE ? 2 : sure == SURE_UNDECIDED || sure == SURE_UNRANKED;
}

void page_best_write_limit(const struct page_best *b, struct buf *out)
{
	const struct profile *p = b->profile;

	if (!p)
		return;
	buf_add_str(out, "<span class=\"limit\" title=\"");
	html_attribute(out, p->sentence ? p->sentence : label_meaning(p->label));
	buf_print(out, "\">%s", label_name(p->label));
	/* Part of the limit that is reached. */
	if (p->left >= 1)
		buf_print(out, " %.0f %%", 100 / p->left);
	buf_add_str(out, "</span>");
}

void page_best_write_sure(const struct page_best *b, struct buf *out)
{
	static const char *const classes[] = {[SURE_UNKNOWN] = "tie",
					      [SURE_CLEAR] = "ok",
					      [SURE_TIE] = "tie",
					      [SURE_UNDECIDED] = "undecided",
					      [SURE_UNRANKED] = "undecided",
					      [SURE_UNUSABLE] = "worse"};
	char text[SURE_TEXT_SIZE];
	const char *words = sure_print(&b->sure, text);

	buf_print(out, "<span class=\"pill %s\">%s</span>", classes[b->sure.sure],
		  *words ? words : "not compared");
}

void page_best_write_part(const struct page_best *b, struct buf *out)
{
	char text[NUMBER_TEXT_SIZE];

	if (!(b->part_pct > 0))
		return;
	buf_print(out, "%s %%", number_print(b->part_pct, 0, text));
	if (b->part_note)
		buf_print(out, " <small title=\"%s\">(%s)</small>", roofline_explain(b->part_note),
			  b->part_note);
}

struct page_best_counts page_best_count(const struct page *p)
{
	struct page_best_counts c = {0};

	for (size_t i = 0; i < p->n_best; i++) {
		const struct page_best *b = &p->best[i];

		const bool unusable = b->sure.sure == SURE_UNUSABLE;
		const bool unfinished = !unusable && b->unfinished;

		c.unusable += unusable;
		c.unfinished += unfinished;
		c.undecided += !unfinished && b->sure.sure == SURE_UNDECIDED;
		c.not_compared += !unfinished && b->sure.sure == SURE_UNRANKED;
		if (unfinished || page_best_doubt(b) > 0)
			continue;
		c.no_faster += b->is_default || (b->default_ns > 0 && b->default_may_lead);
		c.faster += !b->is_default && b->default_ns > 0 && !b->default_may_lead;
	}
	c.alone = p->n_best - c.unfinished - c.unusable - c.undecided - c.not_compared -
		  c.no_faster - c.faster;
	return c;
}

/* Verbs about configurations: incumbent, load, measure, drop. The failure of a configuration is its
 * result. */
#include <stddef.h>
#include <stdlib.h>

#include "tuner/base/json/json.h"
#include "tuner/worker/policy.h"
#include "tuner/worker/protocol.h"
#include "tuner/worker/stop.h"
#include "tuner/worker/worker_finals.h"
#include "tuner/worker/worker_reply.h"
#include "tuner/worker/worker_verbs.h"

enum asc_status worker_load(struct worker *w, const struct json_node *request, struct asc_err *e)
{
#define AT(member) offsetof(struct worker_config_request, member)
	static const struct json_field fields[] = {
		{"do", JSON_IGNORED, true, 0, NULL, NULL},
		{"id", JSON_AS_INT, true, AT(id), NULL, NULL},
		{"implementation", JSON_AS_STRING, true, AT(implementation), NULL, NULL},
		{"config", JSON_AS_STRING, true, AT(config), NULL, NULL},
		{"artifacts", JSON_AS_NODE, true, AT(artifacts), NULL, NULL},
		{"full", JSON_AS_BOOL, false, AT(full), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"load", fields};
	const struct worker_watch watch = {reply_phase, &w->channel, NULL};
	struct worker_config_request r = {0};
	struct worker_config *c;
	struct result result;

	if (json_read_object(request, &spec, &r, e))
		return e->status;
	if (!w->problem)
		return asc_err_set(e, ASC_PROTOCOL, "\"load\" before a problem is ready");
	result_init(&result);
	enum asc_status s = worker_config_load(w->problem, &r, &watch, &c, &result, e);
	if (!s && c) {
		c->next = w->configs;
		w->configs = c;
	} else if (!s) {
		w->harmed = w->ops->lost(w->device);
		s = reply_result(&w->channel, (uint64_t)r.id, &result, e);
	} else if (s == ASC_NOMEM) {
		s = reply_failed(&w->channel, "load", e);
	}
	result_fini(&result);
	return s;
}

/* Finds the link that points to the configuration, or to NULL at the end of the list. */
static struct worker_config **find_config(struct worker *w, int64_t id)
{
	struct worker_config **at = &w->configs;

	while (*at && (*at)->id != (uint64_t)id)
		at = &(*at)->next;
	return at;
}

/* True when it has left something in this process that would harm others. The threads of a library
 * for all of a kind are there to stay. */
static bool has_left_something(struct worker *w, const struct worker_config *c)
{
	if (!w->ops->info(w->device)->shares_host)
		return false;
	if (worker_config_has_vendor(c))
		residue_look(&w->before);
	return residue_left(&w->before) != NULL;
}

/* Sends a second result of the incumbent, a failure after its first one. */
static enum asc_status reply_late(struct worker *w, struct asc_err *e)
{
	struct incumbent_check *i = &w->incumbent;

	if (i->failure.status == RESULT_OK)
		return ASC_OK;
	w->harmed |= i->harmful;
	enum asc_status s = reply_result(&w->channel, i->failed_id, &i->failure, e);

	incumbent_check_fini(i);
	return s;
}

struct measure_request {
	const struct json_node *ids;
	bool interleaved, needed;
	int64_t seed, until_ns;
};

static enum asc_status measure_config(struct worker *w, struct worker_config *c,
				      const struct measure_request *r, struct asc_err *e)
{
	static const struct incumbent nobody;
	const struct worker_watch watch = {reply_phase, &w->channel, NULL};
	const struct worker_race race = {&w->policy,    c->full ? &nobody : &w->best,
					 &w->incumbent, w->probes,
					 &watch,        r->until_ns,
					 r->needed};
	struct result result;

	result_init(&result);
	enum asc_status s = worker_config_measure(c, &race, &result, e);
	if (!s)
		s = reply_late(w, e);
	if (!s) {
		w->harmed |= c->harmful || w->ops->lost(w->device) || has_left_something(w, c);
		s = reply_result(&w->channel, c->id, &result, e);
	}
	if (!s && incumbent_check_take(&w->incumbent, &w->policy, c, &result))
		*find_config(w, (int64_t)c->id) = c->next; /* it is kept there */
	result_fini(&result);
	return s;
}

enum asc_status worker_incumbent(struct worker *w, const struct json_node *request,
				 struct asc_err *e)
{
	static const struct json_field fields[] = {{"do", JSON_IGNORED, true, 0, NULL, NULL},
						   {"samples", JSON_AS_NODE, true, 0, NULL, NULL},
						   {0}};
	static const struct json_spec spec = {"incumbent", fields};
	const struct json_node *list;

	if (json_read_object(request, &spec, &list, e))
		return e->status;
	size_t count = json_count(list), i = 0;
	int64_t *samples = calloc(count + 1, sizeof *samples);
	enum asc_status s = samples ? ASC_OK : asc_err_nomem(e);

	for (const struct json_node *at = json_first(list); !s && at; at = json_next(at))
		s = json_get_int(at, &samples[i++], e);
	if (!s)
		s = incumbent_set(&w->best, samples, count, e);
	free(samples);
	return s;
}

static enum asc_status measure_each(struct worker *w, const struct measure_request *r,
				    struct asc_err *e)
{
	int64_t id;

	for (const struct json_node *n = json_first(r->ids); n && !w->harmed; n = json_next(n)) {
		if (json_get_int(n, &id, e))
			return e->status;
		struct worker_config *c = *find_config(w, id);
		if (c && measure_config(w, c, r, e))
			return e->status;
	}
	return ASC_OK;
}

/* Lists the trials that were loaded; the others have had their results. */
static enum asc_status find_finalists(struct worker *w, const struct json_node *ids,
				      struct worker_config **out, size_t *n, struct asc_err *e)
{
	int64_t id;

	*n = 0;
	for (const struct json_node *at = json_first(ids); at; at = json_next(at)) {
		if (json_get_int(at, &id, e))
			return e->status;
		struct worker_config *c = *find_config(w, id);
		if (c && *n == FINALISTS_MAX)
			return json_fail(ids, e, "more than %d", FINALISTS_MAX);
		if (c)
			out[(*n)++] = c;
	}
	return ASC_OK;
}

static enum asc_status measure_finals(struct worker *w, const struct measure_request *r,
				      struct asc_err *e)
{
	const struct worker_watch watch = {reply_phase, &w->channel, reply_finals};
	struct worker_config *configs[FINALISTS_MAX];
	struct result results[FINALISTS_MAX];
	size_t n;

	if (find_finalists(w, r->ids, configs, &n, e))
		return e->status;
	if (n == 0)
		return ASC_OK;
	for (size_t i = 0; i < n; i++)
		result_init(&results[i]);
	const struct worker_finals how = {.policy = &w->policy,
					  .seed = (uint64_t)r->seed,
					  .until_ns = r->until_ns,
					  .watch = &watch};
	bool complete = true;
	enum asc_status s = worker_finals_run(configs, n, &how, results, &complete, e);

	/* Sends results; trials without one are measured again by another worker. */
	w->harmed |= !complete;
	for (size_t i = 0; i < n; i++) {
		w->harmed |= has_left_something(w, configs[i]);
		if (!s && (complete || results[i].status != RESULT_OK))
			s = reply_result(&w->channel, configs[i]->id, &results[i], e);
		result_fini(&results[i]);
	}
	return s;
}

enum asc_status worker_measure(struct worker *w, const struct json_node *request, struct asc_err *e)
{
#define AT(member) offsetof(struct measure_request, member)
	static const struct json_field fields[] = {
		{"do", JSON_IGNORED, true, 0, NULL, NULL},
		{"ids", JSON_AS_NODE, true, AT(ids), NULL, NULL},
		{"interleaved", JSON_AS_BOOL, false, AT(interleaved), NULL, NULL},
		{"seed", JSON_AS_INT, false, AT(seed), NULL, NULL},
		{"until", JSON_AS_CUSTOM, false, AT(until_ns), protocol_read_time, NULL},
		{"needed", JSON_AS_BOOL, false, AT(needed), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"measure", fields};
	struct measure_request r = {0};

	if (json_read_object(request, &spec, &r, e))
		return e->status;
	return r.interleaved ? measure_finals(w, &r, e) : measure_each(w, &r, e);
}

enum asc_status worker_drop(struct worker *w, const struct json_node *request, struct asc_err *e)
{
	static const struct json_field fields[] = {{"do", JSON_IGNORED, true, 0, NULL, NULL},
						   {"id", JSON_AS_INT, true, 0, NULL, NULL},
						   {0}};
	static const struct json_spec spec = {"drop", fields};
	int64_t id;

	if (json_read_object(request, &spec, &id, e))
		return e->status;
	struct worker_config **at = find_config(w, id), *c = *at;
	if (c) {
		*at = c->next;
		worker_config_free(c);
	}
	return ASC_OK;
}

#include "tuner/worker/worker_verbs.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/metrics/metric_book.h"
#include "probes/probe.h"
#include "tuner/base/json/json.h"
#include "tuner/process/thread.h"
#include "tuner/result/roofline.h"
#include "tuner/worker/incumbent_check.h"
#include "tuner/worker/measure_config.h"
#include "tuner/worker/own_reference.h"
#include "tuner/worker/protocol.h"
#include "tuner/worker/worker_finals.h"

enum asc_status worker_hello(struct worker *w, const struct json_node *request, struct asc_err *e)
{
	static const struct json_field fields[] = {{"do", JSON_IGNORED, true, 0, NULL, NULL},
						   {"version", JSON_AS_INT, true, 0, NULL, NULL},
						   {0}};
	static const struct json_spec spec = {"hello", fields};
	int64_t version;

	(void)w;
	if (json_read_object(request, &spec, &version, e))
		return e->status;
	if (version != PROTOCOL_VERSION)
		return asc_err_set(e, ASC_PROTOCOL,
				   "the worker speaks version %d of the protocol, not %lld",
				   PROTOCOL_VERSION, (long long)version);
	return ASC_OK;
}

/* ---- the device ---- */

static void *open_device(void *user)
{
	struct worker *w = user;

	(void)w->ops->open(w->place, &w->device, &w->failure);
	return NULL;
}

/* Opens the device in another thread, since that takes a while, where it can be handed over. */
static void begin_to_open(struct worker *w)
{
	w->opening = w->ops->attach && thread_start(&w->opener, NULL, open_device, w) == 0;
	if (!w->opening)
		(void)open_device(w);
}

/* Waits until the device that was asked for is open, and says so. `worker` is a struct worker: the
 * function is handed on as a callback. */
static enum asc_status take_device(void *worker, struct device **out, struct asc_err *e)
{
	struct worker *w = worker;
	const bool opening = w->opening;

	if (!w->ops)
		return asc_err_set(e, ASC_PROTOCOL, "a request without a device");
	/* Whoever needs the device first waits here for the thread that opens it. */
	if (opening)
		(void)pthread_join(w->opener, NULL);
	w->opening = false;
	if (!w->device) {
		*e = w->failure;
		return asc_err_wrap(e, "%s", w->ops->name);
	}
	*out = w->device;
	/* Drivers have a current context in each thread: that of the opener is not ours. */
	if (opening && w->ops->attach(w->device, e))
		return e->status;
	return reply_ready(&w->channel, "device", 0, e);
}

static enum asc_status open_probe(const struct worker *w, const struct probe_ops *ops,
				  struct probe **out, struct asc_err *e)
{
	char reason[256];

	if (!ops->check(w->ops->name, reason, sizeof reason))
		return asc_err_set(e, ASC_ABSENT, "probe %s: %s", ops->name, reason);
	return ops->open(w->ops->info(w->device), out, e) ? asc_err_wrap(e, "probe %s", ops->name)
							  : ASC_OK;
}

/* NULL, with *e: there is none of that name, or no place for it. */
static const struct probe_ops *find_probe(const struct json_node *n, size_t place,
					  struct asc_err *e)
{
	const struct probe_ops *ops = NULL;
	const char *name = "";

	if (json_get_string(n, &name, e))
		return NULL;
	if (place == WORKER_MAX_PROBES)
		(void)asc_err_set(e, ASC_LIMIT, "more than %d probes", WORKER_MAX_PROBES);
	else if (!(ops = probe_find(name)))
		(void)asc_err_set(e, ASC_USAGE, "no probe \"%s\"", name);
	return ops;
}

/* Opens the probes that enclose launches of all measurements. */
static enum asc_status open_probes(struct worker *w, const struct json_node *names,
				   struct asc_err *e)
{
	struct worker_probe *p = w->race.probes;
	size_t i = 0;

	for (const struct json_node *n = json_first(names); n; n = json_next(n), i++) {
		const struct probe_ops *ops = find_probe(n, i, e);

		if (!ops || open_probe(w, ops, &p[i].probe, e))
			return e->status;
		p[i].ops = ops;
	}
	return ASC_OK;
}

struct open_request {
	const char *device, *place;
	const struct json_node *probes;
	bool awaits;
};

enum asc_status worker_open(struct worker *w, const struct json_node *request, struct asc_err *e)
{
#define AT(member) offsetof(struct open_request, member)
	static const struct json_field fields[] = {
		{"do", JSON_IGNORED, true, 0, NULL, NULL},
		{"device", JSON_AS_STRING, true, AT(device), NULL, NULL},
		{"place", JSON_AS_STRING, true, AT(place), NULL, NULL},
		{"probes", JSON_AS_NODE, true, AT(probes), NULL, NULL},
		{"awaits", JSON_AS_BOOL, true, AT(awaits), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"open", fields};
	struct open_request r;
	struct device *device;

	if (json_read_object(request, &spec, &r, e))
		return e->status;
	const struct device_ops *ops = device_find(r.device);
	if (w->ops || !ops || !ops->open)
		return asc_err_set(e, ASC_PROTOCOL, "cannot open device \"%s\"", r.device);
	w->ops = ops;
	(void)snprintf(w->place, sizeof w->place, "%s", r.place);
	begin_to_open(w);
	if (!r.awaits && !json_first(r.probes))
		return ASC_OK;
	return take_device(w, &device, e) ? e->status : open_probes(w, r.probes, e);
}

enum asc_status worker_peaks(struct worker *w, const struct json_node *request, struct asc_err *e)
{
	static const struct json_field fields[] = {{"do", JSON_IGNORED, true, 0, NULL, NULL},
						   {"type", JSON_AS_STRING, true, 0, NULL, NULL},
						   {0}};
	static const struct json_spec spec = {"peaks", fields};
	struct peaks peaks;
	const char *name = "";
	enum dtype type = DTYPE_F32;
	const struct device_ops *ops = w->ops; /* NULL: no device was asked for */
	struct device *device = NULL;

	if (json_read_object(request, &spec, &name, e))
		return reply_failed(&w->channel, "peaks", e);
	if (!dtype_parse(name, &type))
		(void)asc_err_set(e, ASC_PROTOCOL, "\"peaks\" of unknown type \"%s\"", name);
	else if (ops && !ops->peaks)
		(void)asc_err_set(e, ASC_ABSENT, "%s: does not tell its peaks", ops->name);
	else if (take_device(w, &device, e) == ASC_OK && ops &&
		 ops->peaks(device, type, &peaks, e) == ASC_OK)
		return reply_peaks(&w->channel, &peaks, e);
	return reply_failed(&w->channel, "peaks", e);
}

/* ---- the problem ---- */

static enum asc_status say_doing(void *worker, const char *what, struct asc_err *e)
{
	return reply_doing(&((struct worker *)worker)->channel, what, e);
}

static enum asc_status say_note(void *worker, const char *text, struct asc_err *e)
{
	return reply_note(&((struct worker *)worker)->channel, text, e);
}

static enum asc_status read_path(const struct json_node *n, void *member, struct asc_err *e)
{
	return json_type(n) == JSON_NULL ? ASC_OK : json_get_string(n, member, e);
}

static enum asc_status read_policy(const struct json_node *n, void *member, struct asc_err *e)
{
	return policy_read_json(n, *(struct policy **)member, e);
}

static enum asc_status say_nothing(void *worker, const char *text, struct asc_err *e)
{
	(void)worker;
	(void)text;
	(void)e;
	return ASC_OK;
}

struct own_message {
	struct worker_config_request request;
	const char *key;
};

static enum asc_status read_own(const struct json_node *n, void *member, struct asc_err *e)
{
#define AT(member) offsetof(struct own_message, member)
	static const struct json_field fields[] = {
		{"implementation", JSON_AS_STRING, true, AT(request.implementation), NULL, NULL},
		{"config", JSON_AS_STRING, true, AT(request.config), NULL, NULL},
		{"artifacts", JSON_AS_NODE, true, AT(request.artifacts), NULL, NULL},
		{"key", JSON_AS_STRING, true, AT(key), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"own", fields};

	return json_type(n) == JSON_NULL ? ASC_OK : json_read_object(n, &spec, member, e);
}

/* Calls that make a function warm leave threads and the like that it is to have: later looks take
 * them for granted. What earlier kernels have left is found before. */
static void begin_to_warm(struct worker *w, const struct worker_config_request *r)
{
	if (worker_config_warms(r) && w->ops->info(w->device)->shares_host)
		w->has_residue |= residue_left(&w->before) != NULL;
}

static void end_to_warm(struct worker *w, const struct worker_config_request *r)
{
	if (worker_config_warms(r))
		residue_look(&w->before);
}

/* Launches the first kernel: what it leaves behind counts. */
static enum asc_status compute_own(void *worker, struct worker_problem *p, size_t set,
				   const char *path, struct asc_err *e)
{
	struct worker *w = worker;
	const struct own_reference_request request = {&w->own, set, say_note, w};

	if (!w->ran_own)
		residue_look(&w->before);
	w->ran_own = true;
	if (say_doing(w, "the program's own configuration", e))
		return e->status;
	begin_to_warm(w, &w->own);
	const enum asc_status s = own_reference_compute(p, &request, path, e);

	end_to_warm(w, &w->own);
	return s;
}

static enum asc_status read_seeds(const struct json_node *n, void *member, struct asc_err *e)
{
	struct worker_problem_request *r = member;
	int64_t seed;

	for (const struct json_node *at = json_first(n); at; at = json_next(at)) {
		if (r->n_sets == WORKLOAD_MAX_SETS)
			return json_fail(n, e, "more than %d", WORKLOAD_MAX_SETS);
		if (json_get_int(at, &seed, e))
			return e->status;
		r->seeds[r->n_sets++] = (uint64_t)seed;
	}
	return r->n_sets > 0 ? ASC_OK : json_fail(n, e, "is empty");
}

struct problem_message {
	struct worker_problem_request request;
	struct own_message own; /* key NULL: there is none */
	const char *hard;       /* name of a hard set; NULL: none */
	bool quiet;             /* no notes: the problem is none of the user's */
	int64_t rewrites_off, least_ns;
	struct policy *policy; /* where it is kept */
};

enum asc_status worker_problem(struct worker *w, const struct json_node *request, struct asc_err *e)
{
#define AT(member) offsetof(struct problem_message, request.member)
	static const struct json_field fields[] = {
		{"do", JSON_IGNORED, true, 0, NULL, NULL},
		{"workload", JSON_AS_STRING, true, AT(workload), NULL, NULL},
		{"hash", JSON_AS_STRING, true, AT(hash), NULL, NULL},
		{"problem", JSON_AS_STRING, true, AT(problem), NULL, NULL},
		{"seeds", JSON_AS_CUSTOM, true, offsetof(struct problem_message, request),
		 read_seeds, NULL},
		{"references_ns", JSON_AS_INT, false, AT(references_ns), NULL, NULL},
		{"references_bytes", JSON_AS_INT, false, AT(references_bytes), NULL, NULL},
		{"hard", JSON_AS_STRING, false, offsetof(struct problem_message, hard), NULL, NULL},
		{"quiet", JSON_AS_BOOL, false, offsetof(struct problem_message, quiet), NULL, NULL},
		{"rewrites_off", JSON_AS_INT, false, offsetof(struct problem_message, rewrites_off),
		 NULL, NULL},
		{"cache", JSON_AS_STRING, true, AT(cache), NULL, NULL},
		{"folder", JSON_AS_CUSTOM, true, AT(folder), read_path, NULL},
		{"reference", JSON_AS_CUSTOM, true, AT(reference), read_path, NULL},
		{"device_reference", JSON_AS_CUSTOM, true, AT(device_reference), read_path, NULL},
		{"own", JSON_AS_CUSTOM, true, offsetof(struct problem_message, own), read_own,
		 NULL},
		{"fills", JSON_AS_NODE, true, AT(fills), NULL, NULL},
		{"digests", JSON_AS_NODE, true, AT(digests), NULL, NULL},
		{"policy", JSON_AS_CUSTOM, true, offsetof(struct problem_message, policy),
		 read_policy, NULL},
		{"least_ns", JSON_AS_INT, false, offsetof(struct problem_message, least_ns), NULL,
		 NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"problem", fields};
	struct problem_message m = {.request = {.place = w->place,
						.device = take_device,
						.doing = say_doing,
						.own = compute_own,
						.note = say_note,
						.user = w},
				    .policy = &w->race.policy};

	if (!w->ops || w->configs)
		return asc_err_set(e, ASC_PROTOCOL,
				   "\"problem\" without a device, or while configurations of "
				   "another one are loaded");
	if (json_read_object(request, &spec, &m, e))
		return e->status;
	incumbent_check_fini(&w->race.incumbent);
	incumbent_fini(&w->race.best);
	worker_problem_free(w->problem);
	w->problem = NULL;
	/* What kernels have left in this process may be anything. */
	m.request.kept_only = w->ran;
	if (m.hard && !hard_set_parse(m.hard, &m.request.hard))
		return asc_err_set(e, ASC_PROTOCOL, "unknown hard inputs \"%s\"", m.hard);
	if (m.quiet)
		m.request.note = say_nothing;
	m.request.rewrites_off = (unsigned)m.rewrites_off;
	w->race.least_ns = m.least_ns;
	m.request.own_key = m.own.key;
	w->own = m.own.request;
	/* By what the problem's configurations will be measured. */
	w->race.watch = (struct worker_watch){reply_phase, &w->channel, reply_finals, reply_doing};
	enum asc_status s = worker_problem_new(w->ops, &m.request, &w->problem, e);

	/* The workload's functions have run, kernels have not: everything from here on is theirs.
	 * A look before the program's own configuration counts if that has run. */
	if (!w->ran_own)
		residue_look(&w->before);
	return s;
}

/* ---- configurations: the failure of one is its result ---- */

static enum asc_status read_side(const struct json_node *n, void *member, struct asc_err *e)
{
#define AT(member) offsetof(struct worker_side_request, member)
	static const struct json_field fields[] = {
		{"workload", JSON_AS_STRING, true, AT(workload), NULL, NULL},
		{"hash", JSON_AS_STRING, true, AT(hash), NULL, NULL},
		{"problem", JSON_AS_STRING, true, AT(problem), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"side", fields};

	return json_read_object(n, &spec, member, e);
}

/* Says what a call is to be known for, once in a row. */
static enum asc_status say_once(struct worker *w, const char *note, struct asc_err *e)
{
	if (!*note || strcmp(note, w->said) == 0)
		return ASC_OK;
	(void)snprintf(w->said, sizeof w->said, "%s", note);
	return say_note(w, note, e);
}

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
		{"best", JSON_AS_BOOL, false, AT(is_best), NULL, NULL},
		{"searched_ns", JSON_AS_REAL, false, AT(searched_ns), NULL, NULL},
		{"side", JSON_AS_CUSTOM, false, AT(side), read_side, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"load", fields};
	struct worker_config_request r = {0};
	struct worker_config *c;
	struct result result;

	if (json_read_object(request, &spec, &r, e))
		return e->status;
	if (!w->problem)
		return asc_err_set(e, ASC_PROTOCOL, "\"load\" before a problem is ready");
	w->ran = true;
	result_init(&result);
	begin_to_warm(w, &r);
	enum asc_status s = worker_config_load(w->problem, &r, &w->race, &c, &result, e);
	end_to_warm(w, &r);
	if (!s && c) {
		c->next = w->configs;
		w->configs = c;
		s = say_once(w, worker_config_note(c), e);
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

/* True when a configuration has left something in this process that would harm others. Threads that
 * a vendor library starts serve all of its calls, and are no residue. */
static bool has_left_something(struct worker *w, const struct worker_config *c)
{
	if (!w->ops->info(w->device)->shares_host)
		return false;
	/* Residue of the library's first call is not the configuration's: from now on it counts as
	 * there before. */
	if (worker_config_starts_late(c))
		residue_look(&w->before);
	return w->has_residue || residue_left(&w->before) != NULL;
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
		s = incumbent_set(&w->race.best, samples, count, e);
	free(samples);
	return s;
}

/* Measures one configuration and sends its result; the incumbent's failure goes before it. */
static enum asc_status measure_one(struct worker *w, struct worker_config *c, struct asc_err *e)
{
	struct incumbent_check *i = &w->race.incumbent;
	struct result result;

	result_init(&result);
	enum asc_status s = worker_config_measure(c, &w->race, &result, e);
	/* The incumbent has failed when it was launched again: a second result of that trial. */
	if (!s && i->failure.status != RESULT_OK) {
		w->harmed |= i->harmful;
		s = reply_result(&w->channel, i->failed_id, &i->failure, e);
		incumbent_check_fini(i);
	}
	if (!s) {
		w->harmed |= c->harmful || w->ops->lost(w->device) || has_left_something(w, c);
		s = reply_result(&w->channel, c->id, &result, e);
	}
	if (!s && incumbent_check_take(&w->race, c, &result))
		*find_config(w, (int64_t)c->id) = c->next; /* it is kept there */
	result_fini(&result);
	return s;
}

/* Measures the trials of `ids` in rounds. Those that could not be loaded have had their results. */
static enum asc_status measure_rounds(struct worker *w, const struct json_node *ids, uint64_t seed,
				      struct asc_err *e)
{
	struct worker_config *configs[FINALISTS_MAX];
	struct result results[FINALISTS_MAX];
	bool complete = true;
	size_t n = 0;
	int64_t id;

	for (const struct json_node *at = json_first(ids); at; at = json_next(at)) {
		if (json_get_int(at, &id, e))
			return e->status;
		struct worker_config *c = *find_config(w, id);
		if (c && n == FINALISTS_MAX)
			return json_fail(ids, e, "more than %d", FINALISTS_MAX);
		if (c)
			configs[n++] = c;
	}
	if (n == 0)
		return ASC_OK;
	for (size_t i = 0; i < n; i++)
		result_init(&results[i]);
	enum asc_status s = worker_finals_run(configs, n, &w->race, seed, results, &complete, e);

	/* A finalist that failed leaves the others without results: another worker measures them.
	 */
	w->harmed |= !complete;
	for (size_t i = 0; i < n; i++) {
		w->harmed |= has_left_something(w, configs[i]);
		if (!s && (complete || results[i].status != RESULT_OK))
			s = reply_result(&w->channel, configs[i]->id, &results[i], e);
		result_fini(&results[i]);
	}
	return s;
}

struct measure_request {
	const struct json_node *ids;
	bool interleaved, needed;
	int64_t seed, unseen, until_ns, begun_ns;
};

enum asc_status worker_measure(struct worker *w, const struct json_node *request, struct asc_err *e)
{
#define AT(member) offsetof(struct measure_request, member)
	static const struct json_field fields[] = {
		{"do", JSON_IGNORED, true, 0, NULL, NULL},
		{"ids", JSON_AS_NODE, true, AT(ids), NULL, NULL},
		{"interleaved", JSON_AS_BOOL, false, AT(interleaved), NULL, NULL},
		{"seed", JSON_AS_INT, false, AT(seed), NULL, NULL},
		{"unseen", JSON_AS_INT, false, AT(unseen), NULL, NULL},
		{"until", JSON_AS_CUSTOM, false, AT(until_ns), protocol_read_time, NULL},
		{"begun", JSON_AS_CUSTOM, false, AT(begun_ns), protocol_read_time, NULL},
		{"needed", JSON_AS_BOOL, false, AT(needed), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"measure", fields};
	struct measure_request r = {0};
	int64_t id;

	if (json_read_object(request, &spec, &r, e))
		return e->status;
	w->race.until_ns = r.until_ns;
	w->race.begun_ns = r.begun_ns;
	w->race.needed = r.needed;
	w->race.unseen = (uint64_t)r.unseen;
	if (r.interleaved)
		return measure_rounds(w, r.ids, (uint64_t)r.seed, e);
	for (const struct json_node *n = json_first(r.ids); n && !w->harmed; n = json_next(n)) {
		if (json_get_int(n, &id, e))
			return e->status;
		struct worker_config *c = *find_config(w, id);
		if (c && measure_one(w, c, e))
			return e->status;
	}
	return ASC_OK;
}

/* ---- profiles ---- */

static enum asc_status read_texts(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"name", JSON_AS_STRING, true, offsetof(struct metric_text, name), NULL, NULL},
		{"text", JSON_AS_STRING, true, offsetof(struct metric_text, text), NULL, NULL},
		{0}};
	static const struct json_spec spec = {"text", fields};
	struct metric_text *texts = json_alloc(n, (json_count(n) + 1) * sizeof *texts);

	if (!texts)
		return asc_err_nomem(e);
	*(struct metric_text **)member = texts;
	for (const struct json_node *i = json_first(n); i; i = json_next(i))
		if (json_read_object(i, &spec, texts++, e))
			return e->status;
	return ASC_OK;
}

struct profile_request {
	int64_t id, until_ns;
	bool experiments, captures;
	const struct json_node *probes;
	const char *set;
	struct metric_text *texts; /* ended by a NULL name */
};

/* Opens what the request counts with, and finds what that is. The book is that of the first
 * request: a worker serves one command. */
static enum asc_status prepare_profile(struct worker *w, const struct profile_request *r,
				       struct profile_asked *p, struct asc_err *e)
{
	size_t n = 0, probes = 0;

	*p = (struct profile_asked){.experiments = r->experiments, .captures = r->captures};
	if (!json_first(r->probes))
		return ASC_OK;
	while (r->texts && r->texts[n].name)
		n++;
	if (!w->book && metric_book_open(r->texts, n, &w->book, e))
		return e->status;
	p->request.book = w->book;
	/* Without a set there are probes alone whose metrics are their own. */
	if (*r->set && metric_book_find_set(w->book, r->set, &p->request.set, e))
		return e->status;
	for (const struct json_node *i = json_first(r->probes); i; i = json_next(i)) {
		struct profile_probe *at = w->replaying;
		const struct probe_ops *ops = find_probe(i, probes, e);
		struct asc_err why;

		if (!ops)
			return e->status;
		while (at->ops && at->ops != ops)
			at++;
		if (at == &w->replaying[WORKER_MAX_PROBES])
			return asc_err_set(e, ASC_LIMIT, "more than %d probes", WORKER_MAX_PROBES);
		/* A probe that cannot be opened is a reason, not an end: the rest is told without
		 * it.
		 */
		if (!at->ops && open_probe(w, ops, &at->probe, &why))
			(void)snprintf(at->reason, sizeof at->reason, "%s", why.text);
		at->ops = ops;
		p->probes[probes++] = at;
	}
	return ASC_OK;
}

enum asc_status worker_profile(struct worker *w, const struct json_node *request, struct asc_err *e)
{
#define AT(member) offsetof(struct profile_request, member)
	static const struct json_field fields[] = {
		{"do", JSON_IGNORED, true, 0, NULL, NULL},
		{"id", JSON_AS_INT, true, AT(id), NULL, NULL},
		{"until", JSON_AS_CUSTOM, true, AT(until_ns), protocol_read_time, NULL},
		{"experiments", JSON_AS_BOOL, true, AT(experiments), NULL, NULL},
		{"captures", JSON_AS_BOOL, true, AT(captures), NULL, NULL},
		{"probes", JSON_AS_NODE, true, AT(probes), NULL, NULL},
		{"set", JSON_AS_STRING, true, AT(set), NULL, NULL},
		{"texts", JSON_AS_CUSTOM, true, AT(texts), read_texts, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"profile", fields};
	struct profile_request r = {0};
	struct profile_asked asked;
	struct result result;

	if (json_read_object(request, &spec, &r, e))
		return e->status;
	struct worker_config *c = *find_config(w, r.id);

	if (!c) /* it could not be loaded, and has had its result */
		return ASC_OK;
	w->race.until_ns = r.until_ns;
	result_init(&result);
	enum asc_status s = prepare_profile(w, &r, &asked, e);

	if (!s)
		s = worker_config_profile(c, &w->race, &asked, &result, e);
	if (!s) {
		w->harmed |= c->harmful || w->ops->lost(w->device) || has_left_something(w, c);
		s = reply_result(&w->channel, c->id, &result, e);
	}
	result_fini(&result);
	return s;
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

/* Verbs that set a worker up: hello, open, problem; and peaks, about the device alone. A failure is
 * told and the worker goes on. */
#include <stddef.h>
#include <stdio.h>

#include "probes/probe.h"
#include "tuner/base/json/json.h"
#include "tuner/process/thread.h"
#include "tuner/result/roofline.h"
#include "tuner/worker/protocol.h"
#include "tuner/worker/worker_reply.h"
#include "tuner/worker/worker_verbs.h"

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
	if (opening)
		(void)pthread_join(w->opener, NULL);
	w->opening = false;
	if (!w->device) {
		*e = w->failure;
		return asc_err_wrap(e, "%s", w->ops->name);
	}
	*out = w->device;
	if (opening && w->ops->attach(w->device, e))
		return e->status;
	return reply_ready(&w->channel, "device", e);
}

static enum asc_status open_probe(struct worker *w, size_t i, const char *name, struct asc_err *e)
{
	char reason[256];
	const struct probe_ops *ops = probe_find(name);

	if (!ops)
		return asc_err_set(e, ASC_USAGE, "no probe \"%s\"", name);
	if (i == WORKER_MAX_PROBES)
		return asc_err_set(e, ASC_LIMIT, "more than %d probes", WORKER_MAX_PROBES);
	if (!ops->check(w->ops->name, reason, sizeof reason))
		return asc_err_set(e, ASC_ABSENT, "probe %s: %s", name, reason);
	if (ops->open(w->ops->info(w->device), &w->probes[i].probe, e))
		return asc_err_wrap(e, "probe %s", name);
	w->probes[i].ops = ops;
	return ASC_OK;
}

static enum asc_status open_probes(struct worker *w, const struct json_node *names,
				   struct asc_err *e)
{
	const char *name;
	size_t i = 0;

	for (const struct json_node *n = json_first(names); n; n = json_next(n), i++)
		if (json_get_string(n, &name, e) || open_probe(w, i, name, e))
			return e->status;
	return ASC_OK;
}

struct open_request {
	const char *device, *place;
	const struct json_node *probes;
};

enum asc_status worker_open(struct worker *w, const struct json_node *request, struct asc_err *e)
{
#define AT(member) offsetof(struct open_request, member)
	static const struct json_field fields[] = {
		{"do", JSON_IGNORED, true, 0, NULL, NULL},
		{"device", JSON_AS_STRING, true, AT(device), NULL, NULL},
		{"place", JSON_AS_STRING, true, AT(place), NULL, NULL},
		{"probes", JSON_AS_NODE, true, AT(probes), NULL, NULL},
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
	if (!json_first(r.probes))
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

static enum asc_status read_path(const struct json_node *n, void *member, struct asc_err *e)
{
	return json_type(n) == JSON_NULL ? ASC_OK : json_get_string(n, member, e);
}

static enum asc_status read_policy(const struct json_node *n, void *member, struct asc_err *e)
{
	return policy_read_json(n, member, e);
}

struct problem_message {
	struct worker_problem_request request;
	int64_t seed, rewrites_off;
	struct policy policy;
};

enum asc_status worker_problem(struct worker *w, const struct json_node *request, struct asc_err *e)
{
#define AT(member) offsetof(struct problem_message, request.member)
	static const struct json_field fields[] = {
		{"do", JSON_IGNORED, true, 0, NULL, NULL},
		{"workload", JSON_AS_STRING, true, AT(workload), NULL, NULL},
		{"hash", JSON_AS_STRING, true, AT(hash), NULL, NULL},
		{"problem", JSON_AS_STRING, true, AT(problem), NULL, NULL},
		{"seed", JSON_AS_INT, true, offsetof(struct problem_message, seed), NULL, NULL},
		{"rewrites_off", JSON_AS_INT, false, offsetof(struct problem_message, rewrites_off),
		 NULL, NULL},
		{"cache", JSON_AS_STRING, true, AT(cache), NULL, NULL},
		{"folder", JSON_AS_CUSTOM, true, AT(folder), read_path, NULL},
		{"reference", JSON_AS_CUSTOM, true, AT(reference), read_path, NULL},
		{"device_reference", JSON_AS_CUSTOM, true, AT(device_reference), read_path, NULL},
		{"fills", JSON_AS_NODE, true, AT(fills), NULL, NULL},
		{"policy", JSON_AS_CUSTOM, true, offsetof(struct problem_message, policy),
		 read_policy, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"problem", fields};
	struct problem_message m = {
		.request = {
			.place = w->place, .device = take_device, .doing = say_doing, .user = w}};

	if (json_read_object(request, &spec, &m, e))
		return e->status;
	if (!w->ops || w->problem)
		return asc_err_set(e, ASC_PROTOCOL,
				   "\"problem\" without a device, or a second one");
	m.request.seed = (uint64_t)m.seed;
	m.request.rewrites_off = (unsigned)m.rewrites_off;
	w->policy = m.policy;
	enum asc_status s = worker_problem_new(w->ops, &m.request, &w->problem, e);

	residue_look(&w->before);
	return s;
}

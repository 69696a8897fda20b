/* The part of worker_link.h that writes requests: JSON lines as in worker/protocol.h. */
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/build/artifact.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/prerequisites.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/evaluate/worker_link.h"
#include "tuner/worker/protocol.h"
#include "tuner/worker/stop.h"

static void ask_begin(struct json_writer *w, const char *verb)
{
	w->comma = false;
	json_write_begin(w, NULL, '{');
	json_write_string(w, "do", verb);
}

static void ask_end(struct json_writer *w)
{
	json_write_end(w, '}');
}

static enum asc_status send_lines(struct worker_link *l, struct buf *lines, struct asc_err *e)
{
	enum asc_status s = channel_send(&l->channel, lines, e);

	buf_fini(lines);
	return s;
}

enum asc_status link_ask_open(struct worker_link *l, const struct evaluator_target *t,
			      struct asc_err *e)
{
	struct buf lines = {0};
	struct json_writer w = {.out = &lines};

	ask_begin(&w, "hello");
	json_write_int(&w, "version", PROTOCOL_VERSION);
	ask_end(&w);
	buf_add_char(&lines, '\n');
	ask_begin(&w, "open");
	json_write_string(&w, "device", t->device->name);
	json_write_string(&w, "place", t->place);
	json_write_begin(&w, "probes", '[');
	for (const char *const *name = t->probes; name && *name; name++)
		json_write_string(&w, NULL, *name);
	json_write_end(&w, ']');
	ask_end(&w);
	return send_lines(l, &lines, e);
}

enum asc_status link_ask_problem(struct worker_link *l, const struct evaluator_problem *p,
				 const struct prerequisites *built, struct asc_err *e)
{
	const struct workload *workload = p->binding->workload;
	struct buf lines = {0};
	struct json_writer w = {.out = &lines};

	ask_begin(&w, "problem");
	json_write_string(&w, "workload", workload->path);
	json_write_string(&w, "hash", workload->hash);
	json_write_string(&w, "problem", p->binding->problem->name);
	json_write_int(&w, "seed", (int64_t)p->seed);
	json_write_int(&w, "rewrites_off", p->binding->rewrites_off);
	json_write_string(&w, "cache", p->target->cache);
	json_write_string(&w, "folder", l->folder);
	policy_write_json(&p->policy, "policy", &w);
	json_write_string(&w, "reference", built->parts[PREREQUISITES_REFERENCE].artifact.path);
	json_write_string(&w, "device_reference",
			  built->parts[PREREQUISITES_DEVICE_REFERENCE].artifact.path);
	json_write_begin(&w, "fills", '{');
	for (size_t i = 0; i < workload->n_tensors; i++)
		if (built->parts[i].artifact.path)
			json_write_string(&w, workload->tensors[i].name,
					  built->parts[i].artifact.path);
	json_write_end(&w, '}');
	ask_end(&w);
	l->asked = true;
	l->heard_ns = clock_now_ns();
	return send_lines(l, &lines, e);
}

static void ask_load(struct json_writer *w, const struct trial *t)
{
	struct buf config = {0};

	config_print(&t->config, t->names, &config);
	ask_begin(w, "load");
	json_write_int(w, "id", (int64_t)t->id);
	json_write_string(w, "implementation", t->implementation->name);
	json_write_string(w, "config", buf_str(&config));
	json_write_begin(w, "artifacts", '[');
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct artifact *a = &t->calls[i].artifact;

		json_write_begin(w, NULL, '{');
		json_write_string(w, "path", a->path);
		if (a->metadata)
			json_write_string(w, "metadata", a->metadata);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
	json_write_bool(w, "full", t->full);
	ask_end(w);
	w->out->failed |= config.failed;
	buf_fini(&config);
}

enum asc_status link_ask_incumbent(struct worker_link *l, const struct incumbent *best,
				   struct asc_err *e)
{
	struct buf lines = {0};
	struct json_writer w = {.out = &lines};

	ask_begin(&w, "incumbent");
	json_write_begin(&w, "samples", '[');
	for (size_t i = 0; i < best->n; i++)
		json_write_int(&w, NULL, best->samples[i]);
	json_write_end(&w, ']');
	ask_end(&w);
	return send_lines(l, &lines, e);
}

/* Load, measure and drop in one message, so that the worker is never asked half of it, and goes on
 * from one trial to the next without waiting for this process. */
enum asc_status link_ask_trials(struct worker_link *l, struct trial *const *list, size_t n,
				struct asc_err *e)
{
	struct buf lines = {0};
	struct json_writer w = {.out = &lines};

	for (size_t i = 0; i < n; i++) {
		ask_load(&w, list[i]);
		buf_add_char(&lines, '\n');
	}
	ask_begin(&w, "measure");
	json_write_begin(&w, "ids", '[');
	for (size_t i = 0; i < n; i++)
		json_write_int(&w, NULL, (int64_t)list[i]->id);
	json_write_end(&w, ']');
	if (list[0]->purpose == TRIAL_ROUNDS) {
		json_write_bool(&w, "interleaved", true);
		json_write_int(&w, "seed", (int64_t)(list[0]->seed & INT64_MAX));
	}
	protocol_write_time(&w, "until", list[0]->until_ns);
	json_write_bool(&w, "needed", list[0]->needed);
	ask_end(&w);
	/* Memory of one trial is free before the next is loaded. The worker keeps the incumbent
	 * loaded all the same, of its own accord. */
	for (size_t i = 0; i < n; i++) {
		buf_add_char(&lines, '\n');
		ask_begin(&w, "drop");
		json_write_int(&w, "id", (int64_t)list[i]->id);
		ask_end(&w);
	}
	return send_lines(l, &lines, e);
}

enum asc_status link_ask_peaks(struct worker_link *l, enum dtype type, struct asc_err *e)
{
	struct buf lines = {0};
	struct json_writer w = {.out = &lines};

	ask_begin(&w, "peaks");
	json_write_string(&w, "type", dtype_name(type));
	ask_end(&w);
	l->peaks_asked = true;
	return send_lines(l, &lines, e);
}

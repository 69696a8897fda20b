#include "tuner/tune/evaluate/worker_link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/metrics/metric_book.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/base/utf8.h"
#include "tuner/build/artifact.h"
#include "tuner/device/device.h"
#include "tuner/device/device_environment.h"
#include "tuner/process/fiber.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/prerequisites.h"
#include "tuner/tune/evaluate/python_worker.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/worker/inputs.h"
#include "tuner/worker/protocol.h"
#include "tuner/worker/sampling.h"
#include "tuner/workload/binding/binding_digests.h"
#include "tuner/workload/binding/binding_side.h"

static const int64_t POLL_NS = INT64_C(100000000);
static const int64_t REAP_NS = INT64_C(2000000000); /* time for a process to end after its stream */
static const int64_t PEAKS_LIMIT_NS = INT64_C(30000000000); /* many times the time of measuring */

/* ---- requests: JSON lines as in worker/protocol.h ---- */

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

enum asc_status link_ask_open(struct worker_link *l, const struct evaluator_target *t, bool awaits,
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
	json_write_bool(&w, "awaits", awaits);
	ask_end(&w);
	return send_lines(l, &lines, e);
}

/* Writes what a configuration is loaded by. */
static void write_launch(struct json_writer *w, const struct trial *t)
{
	struct buf config = {0};

	config_print(&t->config, t->names, &config);
	if (t->side) {
		const struct binding *own = t->side->binding;

		json_write_begin(w, "side", '{');
		json_write_string(w, "workload", own->workload->path);
		json_write_string(w, "hash", own->workload->hash);
		json_write_string(w, "problem", own->problem->name);
		json_write_end(w, '}');
	}
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
	w->out->failed |= config.failed;
	buf_fini(&config);
}

static void write_own(struct json_writer *w, const struct prerequisites *built)
{
	const struct trial *own = prerequisites_own(built);

	if (!own) {
		json_write_string(w, "own", NULL);
		return;
	}
	json_write_begin(w, "own", '{');
	write_launch(w, own);
	json_write_string(w, "key", own->launch);
	json_write_end(w, '}');
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
	json_write_begin(&w, "seeds", '[');
	for (size_t i = 0; i < p->n_sets; i++)
		json_write_int(&w, NULL, (int64_t)p->seeds[i]);
	json_write_end(&w, ']');
	json_write_int(&w, "references_ns", p->references_ns);
	json_write_int(&w, "references_bytes", built->room_bytes);
	json_write_string(&w, "hard", hard_set_name(p->hard));
	json_write_bool(&w, "quiet", p->small);
	json_write_int(&w, "rewrites_off", p->binding->rewrites_off);
	json_write_string(&w, "cache", p->target->cache);
	json_write_string(&w, "folder", l->folder);
	policy_write_json(&p->policy, "policy", &w);
	json_write_int(&w, "least_ns", p->physics.least_ns);
	json_write_string(&w, "reference", built->parts[PREREQUISITES_REFERENCE].artifact.path);
	json_write_string(&w, "device_reference",
			  built->parts[PREREQUISITES_DEVICE_REFERENCE].artifact.path);
	write_own(&w, built);
	json_write_begin(&w, "fills", '{');
	for (size_t i = 0; i < workload->n_tensors; i++)
		if (built->parts[i].artifact.path)
			json_write_string(&w, workload->tensors[i].name,
					  built->parts[i].artifact.path);
	json_write_end(&w, '}');
	binding_write_digests(p->binding, &w, "digests");
	ask_end(&w);
	l->asked = true;
	l->heard_ns = clock_now_ns();
	return send_lines(l, &lines, e);
}

static void ask_load(struct json_writer *w, const struct trial *t)
{
	ask_begin(w, "load");
	json_write_int(w, "id", (int64_t)t->id);
	write_launch(w, t);
	json_write_bool(w, "full", t->full);
	json_write_bool(w, "best", t->is_best);
	if (t->searched_ns > 0)
		json_write_real(w, "searched_ns", t->searched_ns);
	ask_end(w);
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

/* Seed of inputs that no kernel has seen: drawn here and now, since a kernel knows what its process
 * does. 0 without random numbers: there are none then. */
static uint64_t draw_unseen(void)
{
	uint64_t drawn;

	return getentropy(&drawn, sizeof drawn) == 0 ? drawn % INPUT_SEEDS_BELOW : 0;
}

/* Asks for times of the trials that were loaded. */
static void ask_measure(struct json_writer *w, struct trial *const *list, size_t n)
{
	ask_begin(w, "measure");
	json_write_begin(w, "ids", '[');
	for (size_t i = 0; i < n; i++)
		json_write_int(w, NULL, (int64_t)list[i]->id);
	json_write_end(w, ']');
	if (list[0]->purpose == TRIAL_ROUNDS) {
		json_write_bool(w, "interleaved", true);
		json_write_int(w, "seed", (int64_t)(list[0]->seed & INT64_MAX));
		protocol_write_time(w, "begun", list[0]->begun_ns);
	}
	if (list[0]->purpose == TRIAL_ROUNDS || list[0]->meets_unseen)
		json_write_int(w, "unseen", (int64_t)draw_unseen());
	protocol_write_time(w, "until", list[0]->until_ns);
	json_write_bool(w, "needed", list[0]->needed);
	ask_end(w);
}

static void ask_profile(struct json_writer *w, const struct trial *t)
{
	const struct profile_wanted *p = t->profile;

	ask_begin(w, "profile");
	json_write_int(w, "id", (int64_t)t->id);
	protocol_write_time(w, "until", t->until_ns);
	json_write_bool(w, "experiments", p->experiments);
	json_write_bool(w, "captures", p->captures);
	json_write_begin(w, "probes", '[');
	for (const char *const *name = p->probes; name && *name; name++)
		json_write_string(w, NULL, *name);
	json_write_end(w, ']');
	json_write_string(w, "set", p->set ? p->set : "");
	json_write_begin(w, "texts", '[');
	for (size_t i = 0; i < p->n_texts; i++) {
		json_write_begin(w, NULL, '{');
		json_write_string(w, "name", p->texts[i].name);
		json_write_string(w, "text", p->texts[i].text);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
	ask_end(w);
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
	if (list[0]->purpose == TRIAL_PROFILE)
		ask_profile(&w, list[0]);
	else
		ask_measure(&w, list, n);
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

/* Sends one of the answers to a result; a worker that is gone is handled on receive. */
static enum asc_status answer(struct worker_link *l, const char *verb, struct asc_err *e)
{
	struct buf lines = {0};
	struct json_writer w = {.out = &lines};

	ask_begin(&w, verb);
	ask_end(&w);
	return send_lines(l, &lines, e) && e->status != ASC_IO ? e->status : ASC_OK;
}

/* ---- messages ---- */

struct message { /* all members of replies but results */
	const char *event, *of, *text, *what;
	int64_t id, at, step, sets;
	struct finals_progress finals; /* without its step */
	const char *phase;
	const struct json_node *rows; /* or NULL */
	bool input;
};

static enum asc_status read_message(const struct json_node *n, struct message *m, struct asc_err *e)
{
#define AT(member) offsetof(struct message, member)
	static const struct json_field fields[] = {
		{"event", JSON_AS_STRING, true, AT(event), NULL, NULL},
		{"of", JSON_AS_STRING, false, AT(of), NULL, NULL},
		{"text", JSON_AS_STRING, false, AT(text), NULL, NULL},
		{"what", JSON_AS_STRING, false, AT(what), NULL, NULL},
		{"id", JSON_AS_INT, false, AT(id), NULL, NULL},
		{"at", JSON_AS_CUSTOM, false, AT(at), protocol_read_time, NULL},
		{"phase", JSON_AS_STRING, false, AT(phase), NULL, NULL},
		{"step", JSON_AS_INT, false, AT(step), NULL, NULL},
		{"sets", JSON_AS_INT, false, AT(sets), NULL, NULL},
		{"done", JSON_AS_INT, false, AT(finals.done), NULL, NULL},
		{"most", JSON_AS_INT, false, AT(finals.most), NULL, NULL},
		{"left_ns", JSON_AS_INT, false, AT(finals.left_ns), NULL, NULL},
		{"rows", JSON_AS_NODE, false, AT(rows), NULL, NULL},
		{"input", JSON_AS_BOOL, false, AT(input), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"reply", fields};

	*m = (struct message){.of = "", .text = "", .what = "", .phase = ""};
	return json_read_object(n, &spec, m, e);
}

/* How late a message may be read, for its time to show that the worker's clock is right: the
 * usual delay between two processes, or this part of what a trial has taken by then. */
static const int64_t DELAY_NS = 250000;
static const double DELAY = 0.02;

/* Holds the worker's clock against this one: a kernel may have patched it, and its times with it. A
 * message about trial `id` that is read late may have waited, or be of a clock that runs slow. */
static enum asc_status take_time(struct worker_link *l, uint64_t id, int64_t clock_ns,
				 struct asc_err *e)
{
	const int64_t now = clock_now_ns();

	if (clock_ns <= l->clock_ns)
		return asc_err_set(e, ASC_PROTOCOL, "its clock stands still or goes back");
	if (clock_ns > now)
		return asc_err_set(e, ASC_PROTOCOL, "its clock is ahead of the time");
	l->clock_ns = clock_ns;
	if (!l->announced)
		l->begun_ns = now;
	const double delay = fmax((double)DELAY_NS, DELAY * (double)(now - l->begun_ns));
	if ((double)(now - clock_ns) <= delay) {
		l->sure_ns = now;
		l->doubted = false;
	} else if (!l->doubted) {
		l->doubted = true;
		l->doubt_at = l->announced ? l->at : id;
	}
	return ASC_OK;
}

static enum asc_status take_result(struct worker_link *l, const struct json_node *n,
				   struct link_message *out, struct asc_err *e)
{
	const struct json_node *id = json_find(n, "id"), *at = json_find(n, "at");
	int64_t number, clock_ns;

	if (!id || !at)
		return asc_err_set(e, ASC_PROTOCOL, "a result without an id or a time");
	if (json_get_int(id, &number, e) || protocol_read_time(at, &clock_ns, e) ||
	    take_time(l, (uint64_t)number, clock_ns, e) || result_read_json(n, &out->result, e))
		return e->status;
	out->event = LINK_RESULT;
	out->id = (uint64_t)number;
	l->doing[0] = '\0';
	return ASC_OK;
}

/* Takes the time for which the worker was asked. Its clock was read after that, however late the
 * message comes: a busy machine delays messages, and makes no clock that is right tell a time of
 * before. A clock that is slow is blamed on the trial that the worker was at when doubt began;
 * where that has stayed loaded from before, on the one that was measured. */
static enum asc_status take_clock(struct worker_link *l, int64_t clock_ns, struct asc_err *e)
{
	const int64_t behind_ns = l->asked_ns - clock_ns;
	char behind[UNITS_TEXT_SIZE], since[UNITS_TEXT_SIZE];

	l->asked_ns = 0;
	if (behind_ns <= 0)
		return take_time(l, l->held->id, clock_ns, e);
	if (l->announced)
		l->at = l->keeps && l->doubt_at == l->kept ? l->held->id : l->doubt_at;
	return asc_err_set(e, ASC_PROTOCOL,
			   "its clock runs slow: %s behind the time, %s after it was right",
			   units_print_duration((double)behind_ns, behind),
			   units_print_duration((double)(clock_now_ns() - l->sure_ns), since));
}

/* Hands out a result whose worker's clock is right, and has the worker go on; holds one of which
 * that is not known, and asks. Takes the message's contents. */
static enum asc_status settle_result(struct worker_link *l, struct link_message *out,
				     struct asc_err *e)
{
	if (!l->doubted)
		return answer(l, "go on", e);
	l->held = malloc(sizeof *l->held);
	if (!l->held)
		return asc_err_nomem(e);
	*l->held = *out;
	*out = (struct link_message){.event = LINK_NOTHING};
	l->asked_ns = clock_now_ns();
	return answer(l, "clock", e);
}

/* The result that was held, or what settle_result() makes of it with the answer for the clock. */
static enum asc_status settle_held(struct worker_link *l, struct link_message *out,
				   struct asc_err *e)
{
	*out = *l->held;
	free(l->held);
	l->held = NULL;
	return settle_result(l, out, e);
}

static void drop_held(struct worker_link *l)
{
	if (l->held)
		result_fini(&l->held->result);
	free(l->held);
	l->held = NULL;
}

struct peak_message {
	const char *unit, *type;
	double rate, low;
	int64_t moments;
};

static enum asc_status take_peak(const struct json_node *n, struct peaks *out, struct asc_err *e)
{
#define AT(member) offsetof(struct peak_message, member)
	static const struct json_field fields[] = {
		{"unit", JSON_AS_STRING, true, AT(unit), NULL, NULL},
		{"type", JSON_AS_STRING, true, AT(type), NULL, NULL},
		{"rate", JSON_AS_REAL, true, AT(rate), NULL, NULL},
		{"low", JSON_AS_REAL, true, AT(low), NULL, NULL},
		{"moments", JSON_AS_INT, true, AT(moments), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"peak", fields};
	struct peak_message m;

	if (json_read_object(n, &spec, &m, e))
		return e->status;
	if (!(m.rate >= 0 && isfinite(m.rate) && m.low >= 0 && isfinite(m.low) && m.moments >= 0))
		return asc_err_set(e, ASC_PROTOCOL, "a peak that no device has");
	struct peak *row = peaks_row(out, m.unit, m.type);
	if (!row)
		return asc_err_set(e, ASC_PROTOCOL, "more than %d peaks", PEAKS_MAX);
	row->rate = m.rate;
	row->low = m.low;
	row->moments = m.moments;
	return ASC_OK;
}

static enum asc_status take_peaks(const struct json_node *rows, struct peaks *out,
				  struct asc_err *e)
{
	*out = (struct peaks){0};
	if (!rows)
		return asc_err_set(e, ASC_PROTOCOL, "peaks without \"rows\"");
	for (const struct json_node *n = json_first(rows); n; n = json_next(n))
		if (take_peak(n, out, e))
			return e->status;
	return ASC_OK;
}

static const char *const event_names[] = {
	[LINK_READY] = "ready", [LINK_DOING] = "doing",   [LINK_NOTE] = "note",
	[LINK_PHASE] = "phase", [LINK_FINALS] = "finals", [LINK_PEAKS] = "peaks",
	[LINK_CLOCK] = "clock", [LINK_FAILED] = "failed",
};

static enum asc_status fail_held(struct asc_err *e)
{
	return asc_err_set(e, ASC_PROTOCOL, "it does not wait for an answer to its result");
}

/* Checks that it is time for an event: nothing but other inputs is set up once the problem is,
 * measured before that, or answered that was not asked for. */
static enum asc_status check_turn(const struct worker_link *l, enum link_event event,
				  const char *of, struct asc_err *e)
{
	const bool sets_up = l->asked && !l->ready;
	bool due = false;

	if (l->held && event != LINK_CLOCK && event != LINK_FAILED)
		return fail_held(e);
	switch (event) {
	case LINK_READY: due = strcmp(of, "problem") == 0 ? sets_up : !l->ready; break;
	case LINK_DOING: due = l->asked; break;
	case LINK_NOTE: due = sets_up || (l->ready && l->places); break;
	case LINK_PHASE:
	case LINK_FINALS: due = l->ready; break;
	case LINK_PEAKS: due = l->peaks_asked; break;
	case LINK_CLOCK: due = l->asked_ns > 0; break;
	case LINK_FAILED: due = true; break;
	case LINK_NOTHING:
	case LINK_RESULT: break; /* not these replies */
	}
	return due ? ASC_OK
		   : asc_err_set(e, ASC_PROTOCOL, "it sends \"%s\" when nothing asks for that",
				 event_names[event]);
}

static enum asc_status take_message(struct worker_link *l, const struct json_node *n,
				    struct link_message *out, struct asc_err *e)
{
	struct message m;
	enum link_event event = LINK_READY;

	if (read_message(n, &m, e))
		return e->status;
	while (event <= LINK_FAILED && strcmp(event_names[event], m.event) != 0)
		event++;
	if (event > LINK_FAILED)
		return asc_err_set(e, ASC_PROTOCOL, "unknown reply \"%s\"", m.event);
	if (check_turn(l, event, m.of, e))
		return e->status;
	out->event = event;
	out->id = (uint64_t)m.id;
	out->step = m.step;
	out->sets = m.sets;
	out->finals = m.finals;
	/* From here on the message is due, and the link's state follows it. */
	if (event == LINK_READY) {
		l->open |= strcmp(m.of, "device") == 0;
		l->ready |= strcmp(m.of, "problem") == 0;
	}
	if (event != LINK_NOTE && event != LINK_PEAKS)
		(void)snprintf(l->doing, sizeof l->doing, "%s", event == LINK_DOING ? m.what : "");
	out->note[0] = '\0';
	if (event == LINK_NOTE && l->ready)
		(void)snprintf(out->note, sizeof out->note, "%s", m.text);
	else if (event == LINK_NOTE)
		log_print(LOG_WARN, "%s", m.text);
	if (event == LINK_PHASE && !phase_parse(m.phase, &out->phase))
		return asc_err_set(e, ASC_PROTOCOL, "unknown phase \"%s\"", m.phase);
	if (event == LINK_FINALS && finals_progress_parse(m.of, &out->finals, e))
		return e->status;
	if (event == LINK_PHASE && take_time(l, out->id, m.at, e))
		return e->status;
	if (event == LINK_CLOCK)
		return take_clock(l, m.at, e) ? e->status : settle_held(l, out, e);
	/* Once a problem is set up its input was right, whatever a kernel writes here. */
	if (event == LINK_FAILED)
		return asc_err_set(e, m.input && !l->ready ? ASC_INPUT : ASC_CHILD, "%s",
				   *m.text ? m.text : "it failed, for no reason that it gave");
	if (event != LINK_PEAKS)
		return ASC_OK;
	l->peaks_asked = false;
	return take_peaks(m.rows, &out->peaks, e);
}

/* Faults of what a worker says are one kind; the rest is trouble of this process or of its machine.
 */
static enum asc_status fail_message(enum asc_status s, struct asc_err *e)
{
	if (s == ASC_OK || s == ASC_NOMEM || s == ASC_IO || s == ASC_CHILD)
		return s;
	return e->status = ASC_PROTOCOL;
}

enum asc_status link_receive(struct worker_link *l, struct link_message *out, struct asc_err *e)
{
	const struct json_node *event;
	struct json_doc *doc;
	const char *name = "";
	enum asc_status s;

	/* The members that an event does not set are read by nobody, and are not a kernel's even
	 * so. */
	*out = (struct link_message){.event = LINK_NOTHING};
	if (channel_receive(&l->channel, 0, &doc, e))
		return fail_message(e->status, e);
	if (!doc)
		return ASC_OK;
	event = json_find(json_root(doc), "event");
	if (!event || json_get_string(event, &name, e))
		s = asc_err_set(e, ASC_PROTOCOL, "a reply without \"event\"");
	else if (strcmp(name, "result") == 0 && l->held)
		s = fail_held(e);
	else if (strcmp(name, "result") == 0 && !l->ready)
		s = asc_err_set(e, ASC_PROTOCOL, "it sends a result of nothing");
	else if (strcmp(name, "result") == 0)
		s = take_result(l, json_root(doc), out, e) ? e->status : settle_result(l, out, e);
	else
		s = take_message(l, json_root(doc), out, e);
	json_close(doc);
	/* A result that could not be answered is nobody's. */
	if (s && out->event == LINK_RESULT) {
		result_fini(&out->result);
		out->event = LINK_NOTHING;
	}
	/* Any message is a sign of life; workers_deadline_ns() has a limit for all of them
	 * together. */
	l->heard_ns = clock_now_ns();
	return out->event == LINK_FAILED ? s : fail_message(s, e);
}

/* ---- peaks ---- */

enum asc_status link_find_peaks(struct worker_link *l, enum dtype type, struct peaks *out,
				int64_t until_ns, struct asc_err *e)
{
	const int64_t limit = clock_now_ns() + PEAKS_LIMIT_NS;
	const int64_t end = until_ns > 0 && until_ns < limit ? until_ns : limit;
	struct buf lines = {0};
	struct json_writer w = {.out = &lines};
	struct link_message m;

	if (!l->alive)
		return asc_err_set(e, ASC_IO, "there is no worker to ask");
	ask_begin(&w, "peaks");
	json_write_string(&w, "type", dtype_name(type));
	ask_end(&w);
	l->peaks_asked = true;
	if (send_lines(l, &lines, e))
		return e->status;
	while (clock_now_ns() < end) {
		struct pollfd fd = {.fd = l->channel.fd, .events = POLLIN};

		(void)fiber_poll(&fd, 1, POLL_NS);
		link_read_stderr(l);
		do {
			if (link_receive(l, &m, e))
				return e->status;
			if (m.event == LINK_RESULT)
				result_fini(&m.result);
		} while (m.event != LINK_NOTHING && m.event != LINK_PEAKS);
		if (m.event == LINK_PEAKS) {
			*out = m.peaks;
			return ASC_OK;
		}
	}
	return asc_err_set(e, ASC_TIMEOUT, "the worker did not answer");
}

/* ---- the process ---- */

static void drop_folder(struct worker_link *l)
{
	dir_remove(l->folder);
	free(l->folder);
	free(l->places);
	l->folder = l->places = NULL;
}

static void find_cache(const struct evaluator_target *t, struct worker_link *l)
{
	struct stat st = {0};

	(void)stat(t->cache, &st); /* none is one, too */
	l->cache_device = st.st_dev;
	l->cache_file = st.st_ino;
}

bool link_is_shut_out(const struct worker_link *l, const struct evaluator_target *t)
{
	struct worker_link now;

	find_cache(t, &now);
	return l->alive && (now.cache_device != l->cache_device ||
			    now.cache_file != l->cache_file || l->grants != sandbox_grants());
}

/* Starts the process in the environment that its device needs, with the clock that the device was
 * inspected with. A device that shares the host has no driver. */
static enum asc_status start_process(struct worker_link *l, const struct evaluator_target *t,
				     struct asc_err *e)
{
	struct device_environment environment = {0};
	struct python_worker python = {0};
	const char *argv[] = {t->program, "worker", NULL};
	const char *reads[DEVICE_MAX_READS + 2] = {t->cache}, *variables[DEVICE_MAX_VARIABLES + 1];

	if (device_environment(t->device, t->place, &environment, e))
		return e->status;
	if (t->info && t->device->clock_variable &&
	    device_environment_set(&environment, e, "%s=%s", t->device->clock_variable,
				   t->info->clock)) {
		device_environment_fini(&environment);
		return e->status;
	}
	for (size_t i = 0; i < DEVICE_MAX_READS; i++)
		reads[i + 1] = environment.reads[i];
	for (size_t i = 0; i <= DEVICE_MAX_VARIABLES; i++)
		variables[i] = environment.variables[i];
	enum asc_status status = l->places ? python_worker_init(&python, t, l->places, l->folder,
								reads, variables, e)
					   : ASC_OK;
	const bool plain = !l->places;
	const struct sandbox box = {.own = l->folder,
				    .reads = plain ? reads : python.reads,
				    .writes = plain ? NULL : python.writes,
				    .driver = !t->info || !t->info->shares_host};
	const struct proc_options options = {.argv = plain ? argv : python.argv,
					     .variables = plain ? variables : python.variables,
					     .capture = true,
					     .channel = true,
					     .sandbox = &box};

	if (status == ASC_OK)
		status = proc_start(&l->proc, &options, e);
	python_worker_fini(&python);
	device_environment_fini(&environment);
	return status;
}

enum asc_status link_start(struct worker_link *l, const struct evaluator_target *t,
			   const char *places, char *folder, bool awaits, struct asc_err *e)
{
	link_clear_stderr(l);
	*l = (struct worker_link){.folder = folder, .places = places ? str_dup(places) : NULL};
	find_cache(t, l);
	l->grants = sandbox_grants();
	if (places && !l->places)
		(void)asc_err_nomem(e);
	if ((places && !l->places) || start_process(l, t, e)) {
		drop_folder(l);
		return asc_err_wrap(e, "the worker");
	}
	l->alive = true;
	l->heard_ns = l->clock_ns = l->sure_ns = clock_now_ns();
	channel_init(&l->channel, l->proc.channel);
	l->channel.patient = true; /* else two that both wait to be read wait for ever */
	/* The exit of a worker that died at once is handled on receive. */
	enum asc_status s = link_ask_open(l, t, awaits, e);
	if (s && s != ASC_IO)
		link_kill(l);
	return s == ASC_IO ? ASC_OK : s;
}

/* Puts a line "..." for what lies between the first and the last bytes. */
static void leave_out_middle(struct buf *b)
{
	static const char mark[] = "\n...\n";
	const size_t first = LINK_FIRST_STDERR + strlen(mark);

	if (b->len <= first + LINK_LAST_STDERR)
		return;
	memcpy(b->data + LINK_FIRST_STDERR, mark, strlen(mark));
	memmove(b->data + first, b->data + b->len - LINK_LAST_STDERR, LINK_LAST_STDERR);
	b->len = first + LINK_LAST_STDERR;
	b->data[b->len] = '\0';
}

void link_read_stderr(struct worker_link *l)
{
	if (!l->alive)
		return;
	proc_collect(&l->proc, SIZE_MAX, &l->printed);
	leave_out_middle(&l->printed);
}

int link_stderr_fd(const struct worker_link *l)
{
	return l->alive ? l->proc.output : -1;
}

void link_clear_stderr(struct worker_link *l)
{
	buf_fini(&l->printed);
}

const char *link_print_last_line(const struct worker_link *l, char *text, size_t size)
{
	const char *begin = buf_str(&l->printed), *end = begin + l->printed.len;
	char more[SANDBOX_EXPLANATION], line[LINK_WORDS];

	while (end > begin && end[-1] == '\n')
		end--;
	const char *newline = memrchr(begin, '\n', (size_t)(end - begin));
	const char *last = newline ? newline + 1 : begin;
	const int n = (int)utf8_cut(last, (size_t)(end - last), sizeof line - 1);

	(void)snprintf(line, sizeof line, "%.*s", n, last);
	sandbox_explain(line, more, sizeof more);
	/* What the line has behind the reason may be cut, what is to be done may not. */
	const size_t room = size - strlen(more) - sizeof ": ";
	(void)snprintf(text, size, "%s%.*s%s", *line ? ": " : "",
		       (int)utf8_cut(line, strlen(line), room), line, more);
	return text;
}

void link_hang_up(struct worker_link *l)
{
	if (l->alive)
		(void)shutdown(l->proc.channel, SHUT_RDWR);
}

void link_kill(struct worker_link *l)
{
	if (!l->alive)
		return;
	link_read_stderr(l);
	drop_held(l);
	channel_fini(&l->channel);
	proc_kill(&l->proc);
	drop_folder(l);
	l->alive = false;
}

int link_reap(struct worker_link *l, char *text, size_t size)
{
	drop_held(l);
	channel_fini(&l->channel);
	(void)proc_await_end(&l->proc, REAP_NS);
	link_read_stderr(l); /* its last words, which the blame repeats */
	if (!proc_reap(&l->proc)) {
		link_kill(l);
		(void)snprintf(text, size, "closed its connection");
		return -1;
	}
	drop_folder(l);
	l->alive = false;
	(void)proc_print_status(l->proc.status, text, size);
	return l->proc.status;
}

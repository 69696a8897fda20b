#include "tuner/run/worker_link.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tuner/base/json.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/run/evaluator.h"
#include "tuner/run/preparation.h"
#include "tuner/run/stop.h"

enum { BURY_MS = 2000 }; /* for the end of a process whose stream has ended */

/* ---- asking ---- */

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

static enum asc_status ask_open(struct worker_link *l, const struct evaluator_options *o,
				struct asc_err *e)
{
	struct buf lines = {0};
	struct json_writer w = {.out = &lines};

	ask_begin(&w, "hello");
	json_write_int(&w, "version", PROTOCOL_VERSION);
	ask_end(&w);
	buf_add_char(&lines, '\n');
	ask_begin(&w, "open");
	json_write_string(&w, "device", o->device->name);
	json_write_int(&w, "ordinal", o->ordinal);
	json_write_begin(&w, "probes", '[');
	for (const char *const *name = o->probes; name && *name; name++)
		json_write_string(&w, NULL, *name);
	json_write_end(&w, ']');
	ask_end(&w);
	return send_lines(l, &lines, e);
}

enum asc_status link_ask_problem(struct worker_link *l, const struct evaluator_options *o,
				 char *const *artifacts, struct asc_err *e)
{
	const struct workload *workload = o->binding->workload;
	struct buf lines = {0};
	struct json_writer w = {.out = &lines};

	ask_begin(&w, "problem");
	json_write_string(&w, "workload", workload->path);
	json_write_string(&w, "hash", workload->hash);
	json_write_string(&w, "problem", o->binding->problem->name);
	json_write_int(&w, "seed", (int64_t)o->seed);
	json_write_int(&w, "rewrites_off", o->binding->rewrites_off);
	json_write_string(&w, "cache", o->cache);
	json_write_string(&w, "reference", artifacts[PREPARATION_REFERENCE]);
	json_write_string(&w, "device_reference", artifacts[PREPARATION_DEVICE_REFERENCE]);
	json_write_begin(&w, "fills", '{');
	for (size_t i = 0; i < workload->n_tensors; i++)
		if (artifacts[i])
			json_write_string(&w, workload->tensors[i].name, artifacts[i]);
	json_write_end(&w, '}');
	ask_end(&w);
	l->asked = true;
	l->heard_ns = clock_now_ns();
	return send_lines(l, &lines, e);
}

enum asc_status link_ask_peaks(struct worker_link *l, enum dtype type, struct asc_err *e)
{
	struct buf lines = {0};
	struct json_writer w = {.out = &lines};

	ask_begin(&w, "peaks");
	json_write_string(&w, "type", dtype_name(type));
	ask_end(&w);
	return send_lines(l, &lines, e);
}

static void ask_load(struct json_writer *w, const struct link_job *job)
{
	struct buf config = {0};

	config_print(job->config, job->names, &config);
	ask_begin(w, "load");
	json_write_int(w, "id", (int64_t)job->id);
	json_write_string(w, "implementation", job->implementation);
	json_write_string(w, "config", buf_str(&config));
	json_write_string(w, "artifact", job->artifact);
	json_write_bool(w, "unraced", job->unraced);
	ask_end(w);
	w->out->failed |= config.failed;
	buf_fini(&config);
}

static void ask_drop(struct json_writer *w, uint64_t id)
{
	buf_add_char(w->out, '\n');
	ask_begin(w, "drop");
	json_write_int(w, "id", (int64_t)id);
	ask_end(w);
}

static void write_samples(struct json_writer *w, const struct rival *best)
{
	json_write_begin(w, "best", '[');
	for (size_t i = 0; i < best->n; i++)
		json_write_int(w, NULL, best->samples[i]);
	json_write_end(w, ']');
}

static void ask_measure(struct json_writer *w, const struct link_job *jobs, size_t n,
			const struct rule *rule)
{
	ask_begin(w, "measure");
	json_write_begin(w, "ids", '[');
	for (size_t i = 0; i < n; i++)
		json_write_int(w, NULL, (int64_t)jobs[i].id);
	json_write_end(w, ']');
	rule_write_json(rule, "rule", w);
}

enum asc_status link_ask_job(struct worker_link *l, const struct link_job *job,
			     const struct rule *rule, const struct rival *best, struct asc_err *e)
{
	struct buf lines = {0};
	struct json_writer w = {.out = &lines};

	ask_load(&w, job);
	buf_add_char(&lines, '\n');
	ask_measure(&w, job, 1, rule);
	if (best)
		write_samples(&w, best);
	json_write_int(&w, "until", job->until_ns);
	ask_end(&w);
	ask_drop(&w, job->id);
	return send_lines(l, &lines, e);
}

enum asc_status link_ask_finals(struct worker_link *l, const struct link_job *jobs, size_t n,
				const struct rule *rule, const struct evaluator_finals *how,
				struct asc_err *e)
{
	struct buf lines = {0};
	struct json_writer w = {.out = &lines};

	for (size_t i = 0; i < n; i++) {
		ask_load(&w, &jobs[i]);
		buf_add_char(&lines, '\n');
	}
	ask_measure(&w, jobs, n, rule);
	json_write_bool(&w, "interleaved", true);
	json_write_int(&w, "seed", (int64_t)(how->seed & INT64_MAX));
	json_write_int(&w, "until", how->until_ns);
	ask_end(&w);
	for (size_t i = 0; i < n; i++)
		ask_drop(&w, jobs[i].id);
	return send_lines(l, &lines, e);
}

/* ---- hearing ---- */

struct message { /* every member that a reply but a result may have */
	const char *event, *of, *text, *what;
	int64_t id, done, most;
	const char *phase;
	struct peaks peaks;
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
		{"phase", JSON_AS_STRING, false, AT(phase), NULL, NULL},
		{"done", JSON_AS_INT, false, AT(done), NULL, NULL},
		{"most", JSON_AS_INT, false, AT(most), NULL, NULL},
		{"flops", JSON_AS_REAL, false, AT(peaks.arithmetic.rate), NULL, NULL},
		{"flops_low", JSON_AS_REAL, false, AT(peaks.arithmetic.low), NULL, NULL},
		{"flops_moments", JSON_AS_INT, false, AT(peaks.arithmetic.moments), NULL, NULL},
		{"bandwidth", JSON_AS_REAL, false, AT(peaks.memory.rate), NULL, NULL},
		{"bandwidth_low", JSON_AS_REAL, false, AT(peaks.memory.low), NULL, NULL},
		{"bandwidth_moments", JSON_AS_INT, false, AT(peaks.memory.moments), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"reply", fields};

	*m = (struct message){.of = "", .text = "", .what = "", .phase = ""};
	return json_read_object(n, &spec, m, e);
}

static enum asc_status take_result(const struct json_node *n, struct link_message *out,
				   struct asc_err *e)
{
	const struct json_node *id = json_find(n, "id");
	int64_t number;

	if (!id)
		return asc_err_set(e, ASC_PROTOCOL, "a result without an id");
	if (json_get_int(id, &number, e) || result_read_json(n, &out->result, e))
		return e->status;
	out->event = LINK_RESULT;
	out->id = (uint64_t)number;
	return ASC_OK;
}

static enum asc_status take_ready(struct worker_link *l, const struct message *m,
				  struct link_message *out, struct asc_err *e)
{
	(void)e;
	out->event = LINK_READY;
	l->ready = strcmp(m->of, "problem") == 0;
	l->doing[0] = '\0';
	return ASC_OK;
}

static enum asc_status take_doing(struct worker_link *l, const struct message *m,
				  struct link_message *out, struct asc_err *e)
{
	(void)e;
	out->event = LINK_DOING;
	(void)snprintf(l->doing, sizeof l->doing, "%s", m->what);
	return ASC_OK;
}

static enum asc_status take_phase(struct worker_link *l, const struct message *m,
				  struct link_message *out, struct asc_err *e)
{
	(void)l;
	out->event = LINK_PHASE;
	out->id = (uint64_t)m->id;
	if (!phase_parse(m->phase, &out->phase))
		return asc_err_set(e, ASC_PROTOCOL, "unknown phase \"%s\"", m->phase);
	return ASC_OK;
}

static enum asc_status take_round(struct worker_link *l, const struct message *m,
				  struct link_message *out, struct asc_err *e)
{
	(void)l, (void)e;
	out->event = LINK_ROUND;
	out->done = m->done;
	out->most = m->most;
	return ASC_OK;
}

static enum asc_status take_peaks(struct worker_link *l, const struct message *m,
				  struct link_message *out, struct asc_err *e)
{
	(void)l, (void)e;
	out->event = LINK_PEAKS;
	out->peaks = m->peaks;
	return ASC_OK;
}

static enum asc_status take_failed(struct worker_link *l, const struct message *m,
				   struct link_message *out, struct asc_err *e)
{
	(void)l, (void)out;
	return asc_err_set(e, ASC_CHILD, "%s", m->text);
}

static const struct {
	const char *event;
	enum asc_status (*take)(struct worker_link *l, const struct message *m,
				struct link_message *out, struct asc_err *e);
} events[] = {
	{"ready", take_ready}, {"doing", take_doing}, {"phase", take_phase},
	{"round", take_round}, {"peaks", take_peaks}, {"failed", take_failed},
};

static enum asc_status take_message(struct worker_link *l, const struct json_node *n,
				    struct link_message *out, struct asc_err *e)
{
	struct message m;
	const struct json_node *event = json_find(n, "event");
	const char *name = "";

	if (!event || json_get_string(event, &name, e))
		return asc_err_set(e, ASC_PROTOCOL, "a reply without \"event\"");
	if (strcmp(name, "result") == 0)
		return take_result(n, out, e);
	if (read_message(n, &m, e))
		return e->status;
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (strcmp(events[i].event, name) == 0)
			return events[i].take(l, &m, out, e);
	return asc_err_set(e, ASC_PROTOCOL, "unknown reply \"%s\"", name);
}

enum asc_status link_hear(struct worker_link *l, struct link_message *out, struct asc_err *e)
{
	struct json_doc *doc;

	out->event = LINK_NOTHING;
	if (channel_receive(&l->channel, 0, &doc, e))
		return e->status;
	if (!doc)
		return ASC_OK;
	enum asc_status s = take_message(l, json_root(doc), out, e);
	json_close(doc);
	l->heard_ns = clock_now_ns();
	return s;
}

/* ---- the process ---- */

enum asc_status link_start(struct worker_link *l, const struct evaluator_options *o,
			   struct asc_err *e)
{
	const char *argv[] = {o->program, "worker", NULL};
	const struct proc_options options = {.argv = argv, .capture = true, .channel = true};

	link_forget(l);
	*l = (struct worker_link){0};
	if (proc_start(&l->proc, &options, e))
		return asc_err_wrap(e, "the worker");
	l->alive = true;
	l->heard_ns = clock_now_ns();
	channel_init(&l->channel, l->proc.channel);
	l->channel.patient = true;
	/* One that died at once is noticed when it is listened to. */
	enum asc_status s = ask_open(l, o, e);
	if (s && s != ASC_IO)
		link_kill(l);
	return s == ASC_IO ? ASC_OK : s;
}

void link_listen(struct worker_link *l)
{
	if (l->alive && !l->mute)
		l->mute = !proc_collect(&l->proc, LINK_MAX_WORDS, &l->words);
}

int link_words_fd(const struct worker_link *l)
{
	return l->alive && !l->mute ? l->proc.output : -1;
}

void link_forget(struct worker_link *l)
{
	buf_fini(&l->words);
}

void link_kill(struct worker_link *l)
{
	if (!l->alive)
		return;
	link_listen(l);
	channel_fini(&l->channel);
	proc_kill(&l->proc);
	l->alive = false;
}

/* Without a descriptor for processes there is nothing to wait for but time. */
static void await_end(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = {.fd = fd, .events = POLLIN};

	while (poll(&p, fd >= 0, fd >= 0 ? BURY_MS : 50) < 0 && errno == EINTR)
		;
	if (fd >= 0)
		close(fd);
}

void link_bury(struct worker_link *l, char *text, size_t size)
{
	channel_fini(&l->channel);
	if (!proc_ended(&l->proc))
		await_end(l->proc.pid);
	link_listen(l);
	if (!proc_reap(&l->proc)) {
		link_kill(l);
		(void)snprintf(text, size, "closed its connection");
		return;
	}
	l->alive = false;
	(void)proc_print_status(l->proc.status, text, size);
}

#include "tuner/worker/protocol.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/base/names.h"
#include "tuner/base/units.h"
#include "tuner/process/channel.h"
#include "tuner/result/roofline.h"

static const char *const step_names[] = {FINALS_STEP_LIST(NAME_OF)};

const char *finals_step_name(enum finals_step s)
{
	return step_names[s];
}

enum asc_status finals_progress_parse(const char *step, struct finals_progress *p,
				      struct asc_err *e)
{
	size_t value;

	if (!name_find(step_names, sizeof step_names / sizeof *step_names, step, &value))
		return asc_err_set(e, ASC_PROTOCOL, "unknown step of finals \"%s\"", step);
	/* A kernel may have written over these numbers: those that finals never send are refused.
	 */
	if (p->done < 0 || p->most < p->done || p->left_ns < 0)
		return asc_err_set(e, ASC_PROTOCOL,
				   "finals: %s %" PRId64 " of %" PRId64 ", %" PRId64 " ns left",
				   step, p->done, p->most, p->left_ns);
	p->step = (enum finals_step)value;
	return ASC_OK;
}

void protocol_write_time(struct json_writer *w, const char *key, int64_t ns)
{
	char text[24];

	(void)snprintf(text, sizeof text, "%lld", (long long)ns);
	json_write_string(w, key, text);
}

enum asc_status protocol_read_time(const struct json_node *n, void *ns, struct asc_err *e)
{
	const char *text;

	if (json_get_string(n, &text, e))
		return e->status;
	/* Digits alone: strtoll() would take spaces and signs. */
	errno = 0;
	const long long time = strtoll(text, NULL, 10);
	if (!*text || text[strspn(text, "0123456789")] || errno)
		return json_fail(n, e, "expected a time as digits, not \"%s\"", text);
	*(int64_t *)ns = time;
	return ASC_OK;
}

/* ---- replies of a worker ---- */

static void reply_begin(struct json_writer *w, struct buf *line, const char *event)
{
	*w = (struct json_writer){.out = line};
	json_write_begin(w, NULL, '{');
	json_write_string(w, "event", event);
}

static enum asc_status reply_end(struct channel *c, struct json_writer *w, struct asc_err *e)
{
	json_write_end(w, '}');
	enum asc_status s = channel_send(c, w->out, e);

	buf_fini(w->out);
	return s;
}

enum asc_status reply_ready(struct channel *c, const char *of, size_t sets, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w;

	reply_begin(&w, &line, "ready");
	json_write_string(&w, "of", of);
	if (sets > 0)
		json_write_int(&w, "sets", (int64_t)sets);
	return reply_end(c, &w, e);
}

enum asc_status reply_failed(struct channel *c, const char *of, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w;

	reply_begin(&w, &line, "failed");
	json_write_string(&w, "of", of);
	json_write_string(&w, "text", e->text);
	json_write_bool(&w, "input", e->status == ASC_INPUT);
	return reply_end(c, &w, e);
}

enum asc_status reply_peaks(struct channel *c, const struct peaks *p, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w;

	reply_begin(&w, &line, "peaks");
	json_write_begin(&w, "rows", '[');
	for (size_t i = 0; i < p->n; i++) {
		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "unit", p->rows[i].unit);
		json_write_string(&w, "type", p->rows[i].type);
		json_write_real(&w, "rate", p->rows[i].rate);
		json_write_real(&w, "low", p->rows[i].low);
		json_write_int(&w, "moments", p->rows[i].moments);
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
	return reply_end(c, &w, e);
}

enum asc_status reply_doing(void *channel, const char *what, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w;

	reply_begin(&w, &line, "doing");
	json_write_string(&w, "what", what);
	return reply_end(channel, &w, e);
}

enum asc_status reply_note(void *channel, const char *text, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w;

	reply_begin(&w, &line, "note");
	json_write_string(&w, "text", text);
	return reply_end(channel, &w, e);
}

enum asc_status reply_phase(void *channel, uint64_t id, enum phase phase, size_t step,
			    struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w;

	reply_begin(&w, &line, "phase");
	json_write_int(&w, "id", (int64_t)id);
	json_write_string(&w, "phase", phase_name(phase));
	json_write_int(&w, "step", (int64_t)step);
	protocol_write_time(&w, "at", clock_now_ns());
	return reply_end(channel, &w, e);
}

enum asc_status reply_finals(void *channel, const struct finals_progress *p, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w;

	reply_begin(&w, &line, "finals");
	json_write_string(&w, "of", finals_step_name(p->step));
	json_write_int(&w, "done", p->done);
	json_write_int(&w, "most", p->most);
	json_write_int(&w, "left_ns", p->left_ns);
	return reply_end(channel, &w, e);
}

static enum asc_status reply_clock(struct channel *c, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w;

	reply_begin(&w, &line, "clock");
	protocol_write_time(&w, "at", clock_now_ns());
	return reply_end(c, &w, e);
}

enum asc_status reply_result(struct channel *c, uint64_t id, const struct result *r,
			     struct asc_err *e)
{
	static const char *const answers[] = {"{\"do\":\"go on\"}", "{\"do\":\"clock\"}", NULL};
	struct buf line = {0};
	struct json_writer w;

	reply_begin(&w, &line, "result");
	json_write_int(&w, "id", (int64_t)id);
	protocol_write_time(&w, "at", clock_now_ns());
	result_write_json(r, &w);
	if (reply_end(c, &w, e))
		return e->status;
	for (size_t which = 1; which > 0;)
		if (channel_await(c, answers, &which, e) || (which > 0 && reply_clock(c, e)))
			return e->status;
	return ASC_OK;
}

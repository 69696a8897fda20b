#include "tuner/worker/worker_reply.h"

#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/process/channel.h"
#include "tuner/result/roofline.h"
#include "tuner/worker/protocol.h"

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

enum asc_status reply_ready(struct channel *c, const char *of, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w;

	reply_begin(&w, &line, "ready");
	json_write_string(&w, "of", of);
	return reply_end(c, &w, e);
}

enum asc_status reply_failed(struct channel *c, const char *of, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w;

	reply_begin(&w, &line, "failed");
	json_write_string(&w, "of", of);
	json_write_string(&w, "text", e->text);
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

enum asc_status reply_result(struct channel *c, uint64_t id, const struct result *r,
			     struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w;

	reply_begin(&w, &line, "result");
	json_write_int(&w, "id", (int64_t)id);
	protocol_write_time(&w, "at", clock_now_ns());
	result_write_json(r, &w);
	return reply_end(c, &w, e);
}

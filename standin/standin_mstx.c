/* libms_tools_ext.so of the stand-in: ranges that a program names, which become markers of MSPTI.
 * With a stream they are marked by the host, and again at their turn in the stream. */
#include <stdlib.h>
#include <string.h>

#include "standin/standin_abi.h"
#include "standin/standin_context.h"
#include "standin/standin_listener.h"
#include "standin/standin_stream.h"
#include "tuner/base/units.h"

enum { RANGE_START = 2, RANGE_END = 4, WITH_DEVICE = 8 }; /* msptiActivityFlag; a factor */
enum { MAX_TEXT = 96 };

struct range {
	struct standin_object object;
	uint64_t id;
	struct standin_stream *stream;
};

struct mark_task {
	struct standin_task task;
	struct standin_mark mark;
	char message[MAX_TEXT];
};

/* ---- marks ---- */

static void run(struct standin_task *task, struct standin_stream *s)
{
	struct mark_task *t = (struct mark_task *)task;

	if (s->end_ns < task->queued_ns)
		s->end_ns = task->queued_ns;
	t->mark.at_ns = s->end_ns;
	STANDIN_NOTIFY(mark, &t->mark);
}

static void release(struct standin_task *task)
{
	free(task);
}

static void queue(const struct standin_mark *m, struct standin_stream *s)
{
	struct mark_task *t = calloc(1, sizeof *t);

	if (!t)
		return;
	t->task.run = run;
	t->task.free = release;
	t->mark = *m;
	t->mark.on_device = true;
	t->mark.device = s->context->device;
	t->mark.stream = s->id;
	t->mark.message = strncpy(t->message, m->message, sizeof t->message - 1);
	standin_stream_add(s, &t->task);
}

static void mark(const char *message, uint64_t id, uint32_t flag, struct standin_stream *s)
{
	const struct standin_mark m = {.message = message,
				       .id = id,
				       .flag = s ? flag * WITH_DEVICE : flag,
				       .at_ns = clock_now_ns()};

	STANDIN_NOTIFY(mark, &m);
	if (s)
		queue(&m, s);
}

/* ---- ranges: the functions return no code, a refusal is a line in the log ---- */

uint64_t mstxRangeStartA(const char *message, void *stream)
{
	static uint64_t ids;
	const int code = standin_enter(__func__, STANDIN_WHEN_LOST);
	struct range *r = NULL;

	if (code == STANDIN_OK && message && (!stream || standin_stream_check(stream) == 0))
		r = standin_new(STANDIN_RANGE, sizeof *r);
	else if (code == STANDIN_OK)
		standin_log("error: %s without a message, or with a stream that is none", __func__);
	if (r) {
		r->id = ++ids;
		r->stream = stream;
		mark(message, r->id, RANGE_START, stream);
	}
	const uint64_t id = r ? r->id : 0;
	(void)standin_leave(__func__, code, "%llu %p %s", (unsigned long long)id, stream,
			    message ? message : "");
	return id;
}

void mstxRangeEnd(uint64_t id)
{
	const int code = standin_enter(__func__, STANDIN_WHEN_LOST);
	struct range *r = code ? NULL : standin_first(STANDIN_RANGE);

	while (r && r->id != id)
		r = (struct range *)r->object.next;
	if (r) {
		mark("", id, RANGE_END, standin_is(STANDIN_STREAM, r->stream) ? r->stream : NULL);
		standin_free(r);
	} else {
		standin_log("error: %s of a range that was not started", __func__);
	}
	(void)standin_leave(__func__, code, "%llu", (unsigned long long)id);
}

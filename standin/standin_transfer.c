#include "standin/standin_transfer.h"

#include <stdlib.h>

#include "standin/standin_context.h"
#include "standin/standin_listener.h"
#include "standin/standin_memory.h"
#include "tuner/base/units.h"

enum { BEGIN_NS = 1000, BYTES_PER_NS = 20, SET_BYTES_PER_NS = 500 }; /* choices of the model */

struct transfer {
	void *to;
	const void *from; /* NULL: a fill */
	struct standin_transfer facts;
};

struct transfer_task {
	struct standin_task task;
	struct transfer transfer;
};

static struct transfer describe(void *to, const void *from, int byte, size_t n)
{
	return (struct transfer){.to = to,
				 .from = from,
				 .facts = {.is_fill = !from,
					   .from_device = from && standin_memory_has(from),
					   .to_device = standin_memory_has(to),
					   .byte = byte,
					   .bytes = n,
					   .device = standin_context_current()->device,
					   .stream = STANDIN_NO_STREAM,
					   .correlation = standin_correlate()}};
}

/* Memory of the device that was there when the work was queued, and is gone. */
static bool is_gone(const void *at, size_t n, bool on_device)
{
	return on_device && standin_memory_room(at) < n;
}

/* Does the work; the stream's time of its end. */
static int64_t pass(struct transfer *t, int64_t begin_ns)
{
	struct standin_transfer *f = &t->facts;

	if (is_gone(t->to, f->bytes, f->to_device) || is_gone(t->from, f->bytes, f->from_device)) {
		standin_log("error: memory was freed while a copy or a fill is queued");
		standin_lose(RT_AICORE_EXCEPTION, "memory was freed while work is queued");
		return begin_ns;
	}
	if (f->is_fill)
		standin_set(t->to, f->byte, f->bytes);
	else
		standin_copy(t->to, t->from, f->bytes);
	f->begin_ns = begin_ns;
	f->end_ns = begin_ns + BEGIN_NS +
		    (int64_t)f->bytes / (f->is_fill ? SET_BYTES_PER_NS : BYTES_PER_NS);
	STANDIN_NOTIFY(transfer, f);
	return f->end_ns;
}

static void run(struct standin_task *task, struct standin_stream *s)
{
	struct transfer *t = &((struct transfer_task *)task)->transfer;

	s->end_ns = pass(t, s->end_ns > task->queued_ns ? s->end_ns : task->queued_ns);
}

static void release(struct standin_task *task)
{
	free(task);
}

static int add(const struct transfer *what, struct standin_stream *s)
{
	struct transfer_task *t = malloc(sizeof *t);

	if (!t)
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for a task");
	*t = (struct transfer_task){.task = {.run = run, .free = release}, .transfer = *what};
	t->transfer.facts.stream = s->id;
	standin_stream_add(s, &t->task);
	return STANDIN_OK;
}

int standin_transfer_copy(void *to, const void *from, size_t n, struct standin_stream *s)
{
	const struct transfer t = describe(to, from, 0, n);

	return add(&t, s);
}

int standin_transfer_set(void *at, int byte, size_t n, struct standin_stream *s)
{
	const struct transfer t = describe(at, NULL, byte, n);

	return add(&t, s);
}

void standin_transfer_copy_now(void *to, const void *from, size_t n)
{
	struct transfer t = describe(to, from, 0, n);

	(void)pass(&t, clock_now_ns());
}

void standin_transfer_set_now(void *at, int byte, size_t n)
{
	struct transfer t = describe(at, NULL, byte, n);

	(void)pass(&t, clock_now_ns());
}

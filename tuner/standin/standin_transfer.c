#include "tuner/standin/standin_transfer.h"

#include <stdlib.h>

#include "tuner/standin/standin_memory.h"

enum { BEGIN_NS = 1000, BYTES_PER_NS = 20, SET_BYTES_PER_NS = 500 }; /* choices of the model */

struct transfer_task {
	struct standin_task task;
	void *to;
	const void *from; /* NULL: a fill */
	size_t n;
	int byte;
};

static void run(struct standin_task *task, struct standin_stream *s)
{
	const struct transfer_task *t = (const struct transfer_task *)task;
	const int64_t begin = s->end_ns > task->queued_ns ? s->end_ns : task->queued_ns;

	if (t->from)
		standin_copy(t->to, t->from, t->n);
	else
		standin_set(t->to, t->byte, t->n);
	s->end_ns = begin + BEGIN_NS + (int64_t)t->n / (t->from ? BYTES_PER_NS : SET_BYTES_PER_NS);
}

static void release(struct standin_task *task)
{
	free(task);
}

static int add(const struct transfer_task *what, struct standin_stream *s)
{
	struct transfer_task *t = malloc(sizeof *t);

	if (!t)
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for a task");
	*t = *what;
	t->task.run = run;
	t->task.free = release;
	standin_stream_add(s, &t->task);
	return STANDIN_OK;
}

int standin_transfer_copy(void *to, const void *from, size_t n, struct standin_stream *s)
{
	return add(&(struct transfer_task){.to = to, .from = from, .n = n}, s);
}

int standin_transfer_set(void *at, int byte, size_t n, struct standin_stream *s)
{
	return add(&(struct transfer_task){.to = at, .n = n, .byte = byte}, s);
}

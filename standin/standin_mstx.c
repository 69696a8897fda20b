/* libms_tools_ext.so of the stand-in: moments and ranges that a program names, which become markers
 * of MSPTI. With a stream they are marked by the host, and again at their turn in the stream. */
#include <stdlib.h>
#include <string.h>

#include "standin/standin_context.h"
#include "standin/standin_listener.h"
#include "standin/standin_mspti.h"
#include "standin/standin_stream.h"
#include "tuner/base/units.h"

enum { MOMENT = 1, RANGE_START = 2, RANGE_END = 4, WITH_DEVICE = 8 }; /* a factor of the others */
enum { MAX_TEXT = 96 };

struct mstxDomainRegistration_st {
	struct standin_object object;
	char name[MAX_TEXT];
};

struct range {
	struct standin_object object;
	uint64_t id;
	struct mstxDomainRegistration_st *domain;
	struct standin_stream *stream;
};

struct mark_task {
	struct standin_task task;
	struct standin_mark mark;
	char message[MAX_TEXT], domain[MAX_TEXT];
};

static uint64_t ids;

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
	t->mark.domain = strncpy(t->domain, m->domain, sizeof t->domain - 1);
	standin_stream_add(s, &t->task);
}

static void mark(const struct mstxDomainRegistration_st *domain, const char *message, uint64_t id,
		 uint32_t flag, struct standin_stream *s)
{
	const struct standin_mark m = {.message = message,
				       .domain = domain ? domain->name : "default",
				       .id = id,
				       .flag = s ? flag * WITH_DEVICE : flag,
				       .at_ns = clock_now_ns()};

	STANDIN_NOTIFY(mark, &m);
	if (s)
		queue(&m, s);
}

/* Checks arguments of functions that return no code: a refusal is a line in the log. */
static bool check(const char *name, const struct mstxDomainRegistration_st *domain,
		  const char *message, const struct standin_stream *s)
{
	if (message && (!domain || standin_is(STANDIN_DOMAIN, domain)) &&
	    (!s || standin_stream_check(s) == STANDIN_OK))
		return true;
	standin_log("error: %s without a message, or with a domain or a stream that is none", name);
	return false;
}

static void mark_moment(const char *name, struct mstxDomainRegistration_st *domain,
			const char *message, void *stream)
{
	const int code = standin_enter(name, STANDIN_WHEN_LOST);

	if (code == STANDIN_OK && check(name, domain, message, stream))
		mark(domain, message, ++ids, MOMENT, stream);
	(void)standin_leave(name, code, "%p %s", stream, message ? message : "");
}

void mstxMarkA(const char *message, void *stream)
{
	mark_moment(__func__, NULL, message, stream);
}

void mstxDomainMarkA(struct mstxDomainRegistration_st *domain, const char *message, void *stream)
{
	mark_moment(__func__, domain, message, stream);
}

/* ---- ranges ---- */

static uint64_t start_range(const char *name, struct mstxDomainRegistration_st *domain,
			    const char *message, void *stream)
{
	const int code = standin_enter(name, STANDIN_WHEN_LOST);
	struct range *r = NULL;

	if (code == STANDIN_OK && check(name, domain, message, stream))
		r = standin_new(STANDIN_RANGE, sizeof *r);
	if (r) {
		r->id = ++ids;
		r->domain = domain;
		r->stream = stream;
		mark(domain, message, r->id, RANGE_START, stream);
	}
	const uint64_t id = r ? r->id : 0;
	(void)standin_leave(name, code, "%llu %p %s", (unsigned long long)id, stream,
			    message ? message : "");
	return id;
}

static void end_range(const char *name, struct mstxDomainRegistration_st *domain, uint64_t id)
{
	const int code = standin_enter(name, STANDIN_WHEN_LOST);
	struct range *r = code ? NULL : standin_first(STANDIN_RANGE);

	while (r && (r->id != id || r->domain != domain))
		r = (struct range *)r->object.next;
	if (r) {
		mark(domain, "", id, RANGE_END,
		     standin_is(STANDIN_STREAM, r->stream) ? r->stream : NULL);
		standin_free(r);
	} else {
		standin_log("error: %s of a range that was not started", name);
	}
	(void)standin_leave(name, code, "%llu", (unsigned long long)id);
}

uint64_t mstxRangeStartA(const char *message, void *stream)
{
	return start_range(__func__, NULL, message, stream);
}

void mstxRangeEnd(uint64_t id)
{
	end_range(__func__, NULL, id);
}

uint64_t mstxDomainRangeStartA(struct mstxDomainRegistration_st *domain, const char *message,
			       void *stream)
{
	return start_range(__func__, domain, message, stream);
}

void mstxDomainRangeEnd(struct mstxDomainRegistration_st *domain, uint64_t id)
{
	end_range(__func__, domain, id);
}

/* ---- domains ---- */

struct mstxDomainRegistration_st *mstxDomainCreateA(const char *name)
{
	const int code = standin_enter(__func__, STANDIN_WHEN_LOST);
	struct mstxDomainRegistration_st *d = NULL;

	if (code == STANDIN_OK && name)
		d = standin_new(STANDIN_DOMAIN, sizeof *d);
	if (d)
		strncpy(d->name, name, sizeof d->name - 1);
	(void)standin_leave(__func__, code, "%p %s", (void *)d, name ? name : "");
	return d;
}

void mstxDomainDestroy(struct mstxDomainRegistration_st *domain)
{
	const int code = standin_enter(__func__, STANDIN_WHEN_LOST);

	if (standin_is(STANDIN_DOMAIN, domain))
		standin_free(domain);
	else
		standin_log("error: %s of what is no domain", __func__);
	(void)standin_leave(__func__, code, "%p", (void *)domain);
}

#include "reports/results/stands.h"

bool stands_fails(enum result_status status)
{
	return status == RESULT_WRONG || status == RESULT_CRASHED || status == RESULT_TIMEOUT ||
	       status == RESULT_IMPOSSIBLE;
}

bool stands_is_later(int64_t recorded_ms, int64_t id, int64_t than_ms, int64_t than_id)
{
	return recorded_ms != than_ms ? recorded_ms > than_ms : id > than_id;
}

void stands_add(struct stands *s, enum result_status status, int64_t recorded_ms, int64_t id)
{
	struct stands_trial *t = status == RESULT_OK    ? &s->passed
				 : stands_fails(status) ? &s->failed
							: NULL;

	if (t && (!t->found || stands_is_later(recorded_ms, id, t->recorded_ms, t->id)))
		*t = (struct stands_trial){recorded_ms, id, true};
}

bool stands_holds(const struct stands *s)
{
	return s->passed.found &&
	       (!s->failed.found || stands_is_later(s->passed.recorded_ms, s->passed.id,
						    s->failed.recorded_ms, s->failed.id));
}

bool stands_is_withdrawn(const struct stands *s)
{
	return s->failed.found && !stands_holds(s);
}

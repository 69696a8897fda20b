#include "tuner/worker/protocol.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/base/names.h"

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
	errno = 0;
	const long long time = strtoll(text, NULL, 10);
	if (!*text || text[strspn(text, "0123456789")] || errno)
		return json_fail(n, e, "expected a time as digits, not \"%s\"", text);
	*(int64_t *)ns = time;
	return ASC_OK;
}

#include "tuner/run/protocol.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json.h"

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

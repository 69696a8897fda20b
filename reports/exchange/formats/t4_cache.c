/* Entries of Kernel Tuner's cache files: parameters, times and time of a configuration side by side
 * in one object, in milliseconds. */
#include <string.h>

#include "reports/exchange/formats/t4.h"
#include "reports/exchange/formats/t4_record.h"
#include "tuner/base/json/json.h"

/* Time that older versions write for every failure. */
static const double FAILED_MS = 1e20;

/* Finds the name of the failure, which stands in place of the time or beside it; NULL: none. */
static enum asc_status find_failure(const struct json_node *entry, const struct json_node *time,
				    const struct json_node **out, const char **name,
				    struct asc_err *e)
{
	const struct json_node *error = json_find(entry, "__error__");
	struct value v;

	*out = error ? error : time;
	*name = NULL;
	if (error || json_type(time) == JSON_STRING)
		return json_get_string(*out, name, e);
	if (json_get_value(time, &v, e))
		return e->status;
	if (value_as_real(v) == FAILED_MS)
		*name = "RuntimeFailedConfig";
	return ASC_OK;
}

static enum asc_status set_failure(const struct json_node *n, const char *name, struct result *r,
				   struct asc_err *e)
{
	static const struct {
		const char *name, *word;
	} failures[] = {{"InvalidConfig", "constraints"},
			{"CompilationFailedConfig", "compile"},
			{"RuntimeFailedConfig", "runtime"}};

	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		if (strcmp(failures[i].name, name) == 0) {
			t4_invalidity_parse(failures[i].word, &r->status, &r->phase);
			return ASC_OK;
		}
	return json_fail(n, e,
			 "expected a time, InvalidConfig, CompilationFailedConfig or "
			 "RuntimeFailedConfig, found \"%s\"",
			 name);
}

static enum asc_status read_time(const struct json_node *n, struct t4_record *out,
				 double *stated_ns, struct asc_err *e)
{
	const struct json_node *time = json_find(n, "time"), *where = NULL;
	const char *failure = NULL;

	if (!time && !json_find(n, "__error__"))
		return json_fail(n, e, "missing key \"time\"");
	if (find_failure(n, time, &where, &failure, e))
		return e->status;
	if (failure)
		return set_failure(where, failure, &out->result, e);
	t4_invalidity_parse("correct", &out->result.status, &out->result.phase);
	return t4_read_ns(time, T4_NS_PER_MS, stated_ns, e);
}

enum asc_status t4_cache_entry_read(const struct json_node *n, struct t4_record *out,
				    struct asc_err *e)
{
	const struct json_node *timestamp = json_find(n, "timestamp");
	double stated_ns = -1;

	if (json_expect(n, JSON_OBJECT, e) || t4_read_config(n, out, e) ||
	    read_time(n, out, &stated_ns, e) ||
	    t4_read_spent(n, T4_CACHE_ENTRY, T4_NS_PER_MS, out, e))
		return e->status;
	if (timestamp && t4_read_timestamp(timestamp, out, e))
		return e->status;
	return t4_settle_time(n, stated_ns, out, e);
}

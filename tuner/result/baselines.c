#include "tuner/result/baselines.h"

#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

int baselines_find(const char *names, const char *name)
{
	const size_t len = strlen(name);
	int place = 0;

	for (const char *at = names; at; place++) {
		const size_t n = strcspn(at, ",");

		if (n == len && strncmp(at, name, len) == 0)
			return place;
		at = at[n] ? at + n + 1 : NULL;
	}
	return -1;
}

struct baselines baselines_split(char *names)
{
	struct baselines b = {.n = 0};

	for (char *at = names; at && *at && b.n < BASELINES_MAX; b.n++) {
		char *comma = strchr(at, ',');

		b.list[b.n].name = at;
		if (comma)
			*comma++ = '\0';
		at = comma;
	}
	return b;
}

void baselines_write_json(const struct baselines *b, struct buf *out)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '[');
	for (size_t i = 0; i < b->n; i++) {
		const struct baseline_time *t = &b->list[i];

		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "implementation", t->name);
		if (t->ns > 0)
			json_write_real(&w, "ns", t->ns);
		if (t->ratio > 0)
			json_write_real(&w, "ratio", t->ratio);
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
}

static const struct json_field time_fields[] = {
	{"implementation", JSON_AS_STRING, true, offsetof(struct baseline_time, name), NULL, NULL},
	{"ns", JSON_AS_REAL, false, offsetof(struct baseline_time, ns), NULL, NULL},
	{"ratio", JSON_AS_REAL, false, offsetof(struct baseline_time, ratio), NULL, NULL},
	{0}};

enum asc_status baselines_read_json(const struct json_node *n, struct baselines *out,
				    struct asc_err *e)
{
	static const struct json_spec spec = {"baseline", time_fields};

	*out = (struct baselines){.n = 0};
	if (json_expect(n, JSON_ARRAY, e))
		return e->status;
	if (json_count(n) > BASELINES_MAX)
		return json_fail(n, e, "has %zu baselines, expected at most %d", json_count(n),
				 (int)BASELINES_MAX);
	for (const struct json_node *m = json_first(n); m; m = json_next(m))
		if (json_read_object(m, &spec, &out->list[out->n++], e))
			return e->status;
	return ASC_OK;
}

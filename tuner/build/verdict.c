#include "tuner/build/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/build/pool.h"

static const char *const names[] = {
#define X(id, name) name,
	VERDICT_LIST(X)
#undef X
};

static const char *const space_names[] = {
#define X(id, name) name,
	VERDICT_SPACE_LIST(X)
#undef X
};

const char *verdict_name(enum verdict_kind k)
{
	return names[k];
}

const char *verdict_space_name(enum verdict_space s)
{
	return s < VERDICT_SPACES ? space_names[s] : "";
}

void verdict_write_plan(const struct verdict *v, struct json_writer *w)
{
	json_write_begin(w, "planned_bytes", '{');
	for (int s = 0; s < VERDICT_SPACES; s++)
		if (v->planned_bytes[s] >= 0)
			json_write_int(w, space_names[s], v->planned_bytes[s]);
	json_write_end(w, '}');
	json_write_int(w, "retries", v->retries);
}

void verdict_fini(struct verdict *v)
{
	free(v->metadata);
	free(v->reason);
	free(v->log);
	*v = (struct verdict){0};
}

/* Reads what the builder says of a plan. */
static void read_plan(struct verdict *v)
{
	struct json_doc *doc;
	struct asc_err e;
	const char *program;

	if (!v->metadata ||
	    json_open_text("plan", v->metadata, strlen(v->metadata), &doc, &e) != ASC_OK)
		return;
	const struct json_node *planned = json_find(json_root(doc), "planned");

	for (int s = 0; s < VERDICT_SPACES && planned; s++) {
		const struct json_node *bytes = json_find(planned, space_names[s]);

		if (bytes && json_get_int(bytes, &v->planned_bytes[s], &e))
			v->planned_bytes[s] = -1;
	}
	const struct json_node *retries = json_find(json_root(doc), "retries");
	const struct json_node *digest = json_find(json_root(doc), "program");

	if (retries && json_get_int(retries, &v->retries, &e))
		v->retries = 0;
	if (digest && json_get_string(digest, &program, &e) == ASC_OK)
		(void)snprintf(v->program, sizeof v->program, "%s", program);
	json_close(doc);
}

/* Finds what a refusal is about. The builder's first line says it: "error: SPACE: WORDS" for a
 * memory that is too small, "error: unsupported: WORDS". */
static void read_refusal(struct verdict *v)
{
	static const char prefix[] = "error: ", unsupported[] = "unsupported: ";
	const char *line = v->reason ? v->reason : "";
	const char *words =
		strncmp(line, prefix, strlen(prefix)) == 0 ? line + strlen(prefix) : line;

	v->kind = VERDICT_FAILED;
	if (strncmp(words, unsupported, strlen(unsupported)) == 0) {
		v->kind = VERDICT_UNSUPPORTED;
		words += strlen(unsupported);
	}
	for (int s = 0; s < VERDICT_SPACES; s++) {
		const size_t n = strlen(space_names[s]);

		if (strncmp(words, space_names[s], n) == 0 && strncmp(words + n, ": ", 2) == 0) {
			v->kind = VERDICT_REFUSED;
			v->space = (enum verdict_space)s;
			words += n + 2;
			break;
		}
	}
	if (v->reason)
		memmove(v->reason, words, strlen(words) + 1);
}

void verdict_take(struct pool_done *done, struct verdict *out)
{
	*out = (struct verdict){.space = VERDICT_SPACES,
				.planned_bytes = {-1, -1, -1},
				.cached = done->cached,
				.metadata = done->artifact.metadata,
				.reason = done->reason,
				.log = done->log};
	memcpy(out->key, done->artifact.key, sizeof out->key);
	done->artifact.metadata = done->reason = done->log = NULL;
	if (done->artifact.outcome == ARTIFACT_PLANNED) {
		out->kind = VERDICT_FITS;
		read_plan(out);
	} else if (done->artifact.outcome == ARTIFACT_REFUSED) {
		read_refusal(out);
	}
}

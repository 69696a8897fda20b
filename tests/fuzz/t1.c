/* Any text as a T1 file: its space, when that is small, has each configuration once under its own
 * index, and what is written of its parameters is read again as the same list of combinations.
 * covers: t1.c t1_write.c */
#include "tuner/workload/space/t1.h"

#include <stdlib.h>

#include "tests/fuzz/target.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/space/space.h"

enum { MAX_LISTED = 256 };

static struct space *read_space(const char *text, size_t size)
{
	struct json_doc *doc = NULL;
	struct space *s = NULL;
	struct asc_err e;

	if (json_open_text("t1.json", text, size, &doc, &e))
		return NULL;
	if (t1_space(doc, &s, &e) == ASC_OK && !t1_recognise(doc))
		abort();
	json_close(doc);
	return s;
}

static void check_configurations(const struct space *s)
{
	const uint64_t n = space_count(s);
	struct config config;
	uint64_t found, index;

	if ((double)n > space_cartesian(s))
		abort();
	for (uint64_t i = 0; i < n && i < MAX_LISTED; i++) {
		space_get(s, i, &config);
		if (!space_find(s, &config, &found) || found != i)
			abort();
	}
	if (n > 0 && (!space_default(s, &index) || index >= n))
		abort();
}

/* A space without conditions, as T1 text. */
static void write_parameters(const struct space *s, struct buf *out)
{
	static const struct t1_kernel kernel = {
		.language = "CUDA", .name = "k", .file = "k.cu", .device = "d"};
	struct json_writer w = {out, false};
	struct space_param *params = calloc(space_params(s) + 1, sizeof *params);
	const struct space_spec spec = {.params = params, .n_params = space_params(s)};
	struct asc_err e;

	for (size_t i = 0; params && i < spec.n_params; i++)
		params[i] = *space_param(s, i);
	if (params && t1_write(&w, "w", &spec, &kernel, 1, &e))
		abort();
	free(params);
}

static void check_written(const struct space *s)
{
	struct buf text = {0};

	write_parameters(s, &text);
	struct space *again = read_space(buf_str(&text), text.len);

	if (!again || space_params(again) != space_params(s) ||
	    (double)space_count(again) != space_cartesian(s))
		abort();
	space_free(again);
	buf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct space *s = read_space(size > 0 ? (const char *)data : "", size);

	if (!s)
		return 0;
	check_configurations(s);
	if (space_cartesian(s) < 1e9)
		check_written(s);
	space_free(s);
	return 0;
}

#include "tests/unit/build/triton_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/build/folder.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"
#include "tuner/build/pool_build.h"

struct pool *pool;

bool fixture_init(void)
{
	char reason[300] = "";

	if (!builder_is_usable(&builder_triton, reason, sizeof reason)) {
		tap_skip("%s", reason);
		return false;
	}
	return tap_ok(folder_init("triton"), "there is a folder for the cache") &&
	       reopen_pool(2, INT64_C(120000000000));
}

void fixture_fini(void)
{
	pool_close(pool);
	folder_fini();
}

bool reopen_pool(size_t jobs, int64_t limit_ns)
{
	struct asc_err e = {0};

	pool_close(pool);
	pool = NULL;
	return tap_int(pool_open(in_folder(""), jobs, limit_ns, &pool, &e), ASC_OK,
		       "there is a pool: %s", e.text);
}

/* ---- requests ---- */

void begin(struct build_request *r, const char *source, const char *entry, const char *arch)
{
	const bool named = strchr(source, ':') || *source == '/';
	char *path = named ? str_dup(source) : path_join(TEST_DATA "/data/triton", source);

	build_request_init(r, path, entry, arch, "/proc/self/exe");
	free(path);
}

void pass(struct build_request *r, enum build_argument_kind kind, enum dtype type, int64_t number)
{
	build_request_add(r,
			  &(struct build_argument){.kind = kind, .type = type, .number = number});
}

void begin_scale(struct build_request *r, const char *source, const char *entry, const char *arch,
		 int64_t n)
{
	begin(r, source, entry, arch);
	pass(r, BUILD_TENSOR, DTYPE_F16, 0);
	pass(r, BUILD_TENSOR, DTYPE_F32, 0);
	pass(r, BUILD_SCALAR, DTYPE_I64, n);
	pass(r, BUILD_SCALAR, DTYPE_F64, 0);
	build_request_define(r, "WIDTH", "128");
}

/* ---- builds ---- */

struct pool_done build(struct build_request *r)
{
	struct pool_done done = {0};
	struct asc_err e = {0};

	if (pool_submit(pool, 1, &builder_triton, r, &e) || !pool_take(pool, -1, &done))
		tap_ok(false, "a build: %s", e.text);
	return done;
}

bool is_built(const struct pool_done *d)
{
	if (d->artifact.outcome != ARTIFACT_BUILT)
		tap_note("%s", d->log ? d->log : d->reason ? d->reason : "");
	return d->artifact.outcome == ARTIFACT_BUILT;
}

const char *metadata(const struct pool_done *d)
{
	return d->artifact.metadata ? d->artifact.metadata : "";
}

const char *key(struct build_request *r)
{
	static char keys[16][HASH_TEXT_SIZE];
	static size_t n;
	struct asc_err e = {0};
	char *out = keys[n++ % 16];

	tap_int(build_key(&builder_triton, r, out, &e), ASC_OK, "a key: %s", e.text);
	build_request_fini(r);
	return out;
}

void check_parameters(const char *what, struct build_request *r, const char *parameters)
{
	struct pool_done done = build(r);

	tap_ok(is_built(&done), "%s: it is built", what);
	tap_has(metadata(&done), parameters, "%s: its parameters", what);
	pool_done_fini(&done);
}

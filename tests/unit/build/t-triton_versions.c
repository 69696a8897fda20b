/* Two versions of Triton side by side in one pool: the interpreters of $ASCTUNE_PYTHON and
 * $ASCTUNE_OTHER_PYTHON. Each has processes of its own, which stay, and artifacts of its own.
 * covers: triton_python.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"
#include "tuner/build/triton_python.h"

#define LIMIT_NS INT64_C(120000000000)

enum { VERSIONS = 2, ROUNDS = 3 };

static char *interpreters[VERSIONS], *identities[VERSIONS];
static struct pool *pool;

/* ---- interpreters ---- */

/* False where they cannot be compared, which is said. */
static bool find_versions(void)
{
	const char *other = getenv("ASCTUNE_OTHER_PYTHON");
	const char *asked[VERSIONS] = {getenv(TRITON_PYTHON_VARIABLE), other};

	if (!other || !*other) {
		tap_skip("$ASCTUNE_OTHER_PYTHON names no second interpreter");
		return false;
	}
	for (size_t i = 0; i < VERSIONS; i++) {
		const struct triton_python *python;
		struct asc_err e;

		interpreters[i] = str_dup(asked[i] && *asked[i] ? asked[i] : "python3");
		setenv(TRITON_PYTHON_VARIABLE, interpreters[i], 1);
		if (triton_python_get(TRITON_CUDA, &python, &e)) {
			tap_skip("%s", e.text);
			return false;
		}
		identities[i] = str_dup(python->identity);
	}
	if (strcmp(identities[0], identities[1]) != 0)
		return true;
	tap_skip("both interpreters have %s", identities[0]);
	return false;
}

/* ---- builds ---- */

/* Builds a kernel of scale(x, y, n, s, WIDTH) by one of the interpreters. */
static struct pool_done build(size_t version, const char *source, const char *entry, int width)
{
	char *path = path_join(TEST_DATA "/data/triton", source), text[16];
	struct build_request r;
	struct pool_done done = {0};
	struct asc_err e = {0};

	setenv(TRITON_PYTHON_VARIABLE, interpreters[version], 1);
	build_request_init(&r, path, entry, "sm_90a", NULL);
	free(path);
	build_request_add(&r, &(struct build_argument){.kind = BUILD_TENSOR, .type = DTYPE_F16});
	build_request_add(&r, &(struct build_argument){.kind = BUILD_TENSOR, .type = DTYPE_F32});
	build_request_add(&r, &(struct build_argument){
				      .kind = BUILD_SCALAR, .type = DTYPE_I64, .number = 50});
	build_request_add(&r, &(struct build_argument){.kind = BUILD_SCALAR, .type = DTYPE_F64});
	(void)snprintf(text, sizeof text, "%d", width);
	build_request_define(&r, "WIDTH", text);
	if (pool_submit(pool, 1, &builder_triton, &r, &e) || !pool_take(pool, -1, &done))
		tap_ok(false, "a build: %s", e.text);
	return done;
}

static void test_artifacts(void)
{
	char keys[VERSIONS][HASH_TEXT_SIZE] = {{0}};

	for (size_t i = 0; i < 2 * VERSIONS; i++) {
		const size_t version = i % VERSIONS;
		struct pool_done done = build(version, "kernels.py", "scale", 128);

		tap_int(done.artifact.outcome, ARTIFACT_BUILT, "%s: a kernel is built: %s",
			identities[version], done.log ? done.log : "");
		tap_int(done.cached, i >= VERSIONS, "%s: compiled once", identities[version]);
		if (i < VERSIONS)
			memcpy(keys[version], done.artifact.key, HASH_TEXT_SIZE);
		tap_str(done.artifact.key, keys[version], "%s: its key stays", identities[version]);
		pool_done_fini(&done);
	}
	tap_ok(strcmp(keys[0], keys[1]) != 0, "an artifact of each version has its own key");
}

/* "process 17 with Triton 3.4.0": the kernel tells who compiles it. */
static void test_processes(void)
{
	char *said[VERSIONS] = {0};

	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < VERSIONS; i++) {
			struct pool_done done = build(i, "sick.py", "telling", 64 << round);
			const char *reason = done.reason ? done.reason : "";

			tap_has(reason, "with Triton ", "%s: the kernel is refused and tells",
				identities[i]);
			if (!said[i])
				said[i] = str_dup(reason);
			tap_str(reason, said[i], "%s: its process stays", identities[i]);
			pool_done_fini(&done);
		}
	tap_ok(strcmp(said[0], said[1]) != 0, "each version has a process of its own");
	for (size_t i = 0; i < VERSIONS; i++)
		free(said[i]);
}

int main(void)
{
	const char *base = getenv("TMPDIR");
	char cache[300];
	struct asc_err e;

	(void)snprintf(cache, sizeof cache, "%s/triton-XXXXXX", base && *base ? base : "/tmp");
	if (find_versions() && tap_ok(mkdtemp(cache), "there is a folder for the cache")) {
		if (tap_int(pool_open(cache, VERSIONS, LIMIT_NS, &pool, &e), ASC_OK,
			    "there is a pool")) {
			test_artifacts();
			test_processes();
		}
		pool_close(pool);
		dir_remove(cache);
	}
	for (size_t i = 0; i < VERSIONS; i++) {
		free(interpreters[i]);
		free(identities[i]);
	}
	return tap_done();
}

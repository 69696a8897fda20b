#include "tests/unit/build/build_fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"
#include "tuner/process/sandbox.h"

char scratch[300], cache[340];

/* ---- files ---- */

void put(const char *name, const char *text, mode_t mode)
{
	struct asc_err e;
	char *path = path_join(scratch, name);

	if (file_write(path, text, strlen(text), &e) || chmod(path, mode) != 0)
		tap_ok(false, "%s is written", path);
	free(path);
}

static void copy(const char *name)
{
	struct buf text = {0};
	struct asc_err e;
	char *path = path_join(TEST_DATA "/unit/build", name);

	if (file_read(path, 0, &text, &e))
		tap_ok(false, "%s", e.text);
	put(name, buf_str(&text), 0600);
	free(path);
	buf_fini(&text);
}

size_t count_lines(const char *name)
{
	struct buf text = {0};
	struct asc_err e;
	char *path = path_join(scratch, name);
	size_t n = 0;

	(void)file_read(path, 0, &text, &e);
	for (size_t i = 0; i < text.len; i++)
		n += text.data[i] == '\n';
	free(path);
	buf_fini(&text);
	return n;
}

size_t count_leftovers(void)
{
	char *path = path_join(cache, "artifacts");
	DIR *d = opendir(path);
	size_t n = 0;

	for (struct dirent *f; d && (f = readdir(d));)
		n += strncmp(f->d_name, "tmp-", 4) == 0;
	if (d)
		closedir(d);
	free(path);
	return n;
}

bool fixture_init(void)
{
	static const char *const files[] = {"accepted.c", "broken.c",   "pointer.c", "narrow.c",
					    "fewer.c",    "nameless.c", "talking.c"};
	const char *tmp = getenv("TMPDIR");

	snprintf(scratch, sizeof scratch, "%.200s/t-build-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	sandbox_leave_off(); /* the compiler counts its calls in a file */
	if (!mkdtemp(scratch))
		return false;
	snprintf(cache, sizeof cache, "%s/cache", scratch);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		copy(files[i]);
	put("amount.h", "#define AMOUNT 3\n", 0600);
	/* A compiler that counts how often it compiles. */
	char *counting = str_print("#!/bin/sh\n[ \"$1\" = --version ] || echo x >> '%s/compiled'\n"
				   "exec cc \"$@\"\n",
				   scratch);
	put("counting", counting, 0700);
	free(counting);
	char *compiler = path_join(scratch, "counting");
	setenv("CC", compiler, 1);
	free(compiler);
	return true;
}

void fixture_fini(void)
{
	dir_remove(scratch);
}

/* ---- requests and builds ---- */

void request_init(struct build_request *r, const char *source, const char *width)
{
	char *path = path_join(scratch, source);

	build_request_init(r, path, "add", "test", NULL);
	build_request_add_flag(r, "-DCTYPE_T_IS_REAL=1");
	build_request_define(r, "DTYPE_f32", "1");
	build_request_define(r, "DTYPE_T", "DTYPE_f32");
	build_request_define(r, "CTYPE_T", "float");
	build_request_define(r, "WIDTH", width);
	build_request_define(r, "PACKED", "1");
	build_request_define(r, "SCALE", "2.0");
	build_request_define(r, "SHIFT", "-3");
	build_request_add(r, &(struct build_argument){.kind = BUILD_TENSOR, .type = DTYPE_F32});
	build_request_add(r, &(struct build_argument){.kind = BUILD_TENSOR, .type = DTYPE_F32});
	build_request_add(r, &(struct build_argument){.kind = BUILD_SCALAR, .type = DTYPE_I64});
	build_request_add(r, &(struct build_argument){.kind = BUILD_BUILTIN, .type = DTYPE_I64});
	free(path);
}

void replace(char **text, const char *with)
{
	free(*text);
	*text = str_dup(with);
}

struct pool *open_pool(size_t jobs, int64_t limit_ns)
{
	struct pool *p = NULL;
	struct asc_err e;

	if (pool_open(cache, jobs, limit_ns, &p, &e))
		tap_ok(false, "pool_open: %s", e.text);
	return p;
}

enum asc_status submit(struct pool *p, uint64_t id, const char *source, struct asc_err *e)
{
	struct build_request r;

	request_init(&r, source, "16");
	return pool_submit(p, id, builder_find("cc", NULL), &r, e);
}

void build_request(struct build_request *r, int64_t limit_ns, struct pool_done *done)
{
	struct pool *p = open_pool(1, limit_ns);
	struct asc_err e;

	*done = (struct pool_done){0};
	if (pool_submit(p, 7, builder_find("cc", NULL), r, &e))
		tap_ok(false, "pool_submit: %s", e.text);
	else
		tap_ok(pool_take(p, -1, done) && done->id == 7, "one build comes back");
	pool_close(p);
}

void build(const char *source, struct pool_done *done)
{
	struct build_request r;

	request_init(&r, source, "16");
	build_request(&r, LIMIT_NS, done);
}

bool is_built(const struct pool_done *d)
{
	return d->artifact.outcome == ARTIFACT_BUILT;
}

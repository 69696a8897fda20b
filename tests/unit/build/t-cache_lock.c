/* Locks of the artifact cache: between processes, and of one that was killed or stopped.
 * covers: cache.c pool.c */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/builder.h"
#include "tuner/build/cache.h"
#include "tuner/build/pool.h"
#include "tuner/process/sandbox.h"

#define LIMIT_NS INT64_C(60000000000)
#define SHORT_NS INT64_C(3000000000)

enum { PROCESSES = 4, KEYS = 6 };

static const char key[] = "0123456789abcdef0123456789abcdef";
static const char other[] = "fedcba9876543210fedcba9876543210";
static char *scratch, *folder;
static struct asc_err e;

static char *put(const char *name, const char *text, mode_t mode)
{
	char *path = path_join(scratch, name);

	tap_ok(file_write(path, text, strlen(text), &e) == ASC_OK && chmod(path, mode) == 0,
	       "%s is written", name);
	return path;
}

static size_t count_compilers(void)
{
	struct buf text = {0};
	char *path = path_join(scratch, "compiled");
	size_t n = 0;

	(void)file_read(path, 0, &text, &e);
	for (size_t i = 0; i < text.len; i++)
		n += text.data[i] == '\n';
	free(path);
	buf_fini(&text);
	return n;
}

/* Submits the build of the source with one of the widths. */
static bool submit(struct pool *p, uint64_t width)
{
	char *path = path_join(scratch, "source.c"), text[20];
	struct build_request r;

	(void)snprintf(text, sizeof text, "%llu", (unsigned long long)width);
	build_request_init(&r, path, "set", "test", NULL);
	build_request_define(&r, "WIDTH", text);
	build_request_add(&r, &(struct build_argument){.kind = BUILD_TENSOR, .type = DTYPE_F32});
	free(path);
	return pool_submit(p, width, builder_find("cc", NULL), &r, &e) == ASC_OK;
}

/* Number of builds that come back with an artifact. */
static int take_all(struct pool *p)
{
	struct pool_done done;
	int built = 0;

	while (pool_take(p, -1, &done)) {
		built += done.artifact.outcome == ARTIFACT_BUILT;
		pool_done_fini(&done);
	}
	return built;
}

/* ---- tests ---- */

static int build_all(void)
{
	struct pool *p;
	int built = -1;

	if (pool_open(folder, 2, LIMIT_NS, &p, &e))
		return built;
	for (uint64_t i = 1; i <= KEYS; i++)
		(void)submit(p, i);
	built = take_all(p);
	pool_close(p);
	return built;
}

static void test_processes(void)
{
	pid_t children[PROCESSES];
	int status;

	for (int i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (children[i] == 0)
			_exit(build_all());
	}
	for (int i = 0; i < PROCESSES; i++) {
		(void)waitpid(children[i], &status, 0);
		tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == KEYS,
		       "process %d has all %d artifacts", i, KEYS);
	}
	tap_int(count_compilers(), KEYS, "%d processes: a compiler for each key", PROCESSES);
}

static void test_holder(struct cache *c)
{
	struct cache *second;
	char path[600];

	tap_int(cache_open(folder, &second, &e), ASC_OK, "the cache is opened twice");
	tap_ok(cache_lock(c, key), "a key is locked");
	tap_ok(cache_lock(c, key), "its holder has it");
	tap_ok(!cache_lock(second, key), "nobody else can lock it");
	tap_ok(cache_lock(second, other), "but another key");
	cache_unlock(c, key);
	tap_ok(cache_lock(second, key), "when it is unlocked, the next can");
	cache_close(second);
	tap_ok(cache_lock(c, key) && cache_lock(c, other), "a closed cache holds nothing");
	cache_unlock(c, key);
	cache_unlock(c, other);
	(void)snprintf(path, sizeof path, "%s/artifacts/lock", folder);
	tap_ok(file_exists(path) && unlink(path) == 0 && mkdir(path, 0700) == 0,
	       "a folder in the place of the locks, as where they cannot be had");
	tap_int(cache_open(folder, &second, &e), ASC_OK, "the cache is opened");
	tap_ok(cache_lock(second, key), "every key is free there");
	cache_close(second);
	(void)rmdir(path);
}

static void test_killed(struct cache *c)
{
	struct cache *own;
	int ready[2], status;
	char word;

	if (!tap_ok(pipe(ready) == 0, "a pipe"))
		return;
	pid_t child = fork();
	if (child == 0) {
		bool locked = cache_open(folder, &own, &e) == ASC_OK && cache_lock(own, key);
		(void)!write(ready[1], locked ? "+" : "-", 1);
		for (;;)
			pause();
	}
	tap_ok(read(ready[0], &word, 1) == 1 && word == '+', "a process holds a key");
	tap_ok(!cache_lock(c, key), "as long as it lives");
	(void)kill(child, SIGKILL);
	(void)waitpid(child, &status, 0);
	tap_ok(cache_lock(c, key), "when it is killed, the key is free");
	cache_unlock(c, key);
	close(ready[0]);
	close(ready[1]);
}

/* The holder of the key of width 7 does nothing for longer than a command may take. */
static void test_stopped(void)
{
	struct cache *holder;
	struct pool_done done;
	struct pool *p;
	size_t before = count_compilers();

	if (!tap_ok(pool_open(folder, 1, LIMIT_NS, &p, &e) == ASC_OK && submit(p, 7) &&
			    pool_take(p, -1, &done),
		    "a build tells its key"))
		return;
	tap_int(cache_open(folder, &holder, &e), ASC_OK, "the cache is opened");
	tap_ok(cache_lock(holder, done.artifact.key), "its key is free again, and locked");
	(void)unlink(done.artifact.path);
	tap_ok(submit(p, 7) && submit(p, 8), "it and another are to be built");
	pool_done_fini(&done);
	tap_ok(pool_take(p, LIMIT_NS, &done) && done.id == 8, "the other one comes first");
	pool_done_fini(&done);
	tap_ok(!pool_take(p, 200000000, &done), "the locked one does not come");
	tap_int(count_compilers() - before, 2, "no compiler was started for it");
	pool_cancel(p, 7);
	tap_int(pool_pending(p), 0, "it can be cancelled");
	pool_close(p);
	tap_ok(pool_open(folder, 1, SHORT_NS, &p, &e) == ASC_OK && submit(p, 7) && take_all(p) == 1,
	       "after the time of a command it is built all the same");
	tap_int(count_compilers() - before, 3, "by a compiler");
	pool_close(p);
	cache_close(holder);
}

int main(void)
{
	struct cache *c = NULL;

	if (!tap_ok(dir_make_scratch("t-cache_lock", &scratch, &e) == ASC_OK, "a scratch folder"))
		return tap_done();
	folder = path_join(scratch, "cache");
	free(put("source.c", "static void set(float *x) { x[0] = WIDTH; }\n", 0600));
	/* A compiler that counts how often it compiles, and takes its time. */
	char *script = str_print("#!/bin/sh\n[ \"$1\" = --version ] || { echo x >> '%s/compiled'; "
				 "sleep 0.1; }\nexec cc \"$@\"\n",
				 scratch);
	char *compiler = put("counting", script, 0700);
	setenv("CC", compiler, 1);
	sandbox_leave_off(); /* the compiler counts its calls in a file */
	test_processes();
	if (tap_ok(cache_open(folder, &c, &e) == ASC_OK, "the cache is opened")) {
		test_killed(c);
		test_holder(c);
	}
	cache_close(c);
	test_stopped();
	free(compiler);
	free(script);
	dir_remove(scratch);
	free(folder);
	free(scratch);
	return tap_done();
}

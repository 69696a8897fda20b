/* The build pool and its cache: what is built once, joined, found again, made anew, and what is
 * left when the disk is full.
 * covers: pool.c pool_build.c artifact.c cache.c */
#include "tuner/build/pool.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/unit/build/build_fixture.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/builder.h"

typedef void launch_fn(void *const *args);

static void test_artifact(const char *path)
{
	float out[2] = {0}, in[2] = {1, 2};
	float *out_at = out, *in_at = in;
	int64_t n = 2, x = 100;
	void *args[] = {&out_at, &in_at, &n, &x};
	launch_fn *launch = NULL;
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *symbol = handle ? dlsym(handle, "asctune_launch") : NULL;

	if (tap_ok(symbol, "the artifact exports asctune_launch")) {
		memcpy(&launch, &symbol, sizeof launch);
		launch(args);
		tap_ok(out[0] == 107 && out[1] == 108, "and calls the kernel: %g %g", out[0],
		       out[1]);
		tap_ok(!dlsym(handle, "add"), "the kernel's own symbols are hidden");
	}
	if (handle)
		dlclose(handle);
}

static void test_pool_options(void)
{
	struct asc_err e;
	struct pool *p = NULL;
	char *file = path_join(scratch, "accepted.c");

	tap_int(pool_open(cache, 0, LIMIT_NS, &p, &e), ASC_USAGE, "no jobs at once is an error");
	tap_ok(pool_open(file, 1, LIMIT_NS, &p, &e) != ASC_OK && !p, "a file is no cache");
	tap_has(e.text, "accepted.c", "and is named");
	tap_ok(builder_find("cc", NULL) == builder_list[0] && !builder_find("cobol", NULL),
	       "builder_find");
	free(file);
}

static void test_cache(void)
{
	struct pool_done first, second, changed;

	build("accepted.c", &first);
	if (!tap_ok(is_built(&first) && !first.cached && !first.reason, "a kernel is compiled") &&
	    first.log)
		tap_note("%s", first.log);
	tap_ok(first.spent_ns > 0, "and takes time");
	if (first.artifact.path)
		test_artifact(first.artifact.path);
	tap_int(count_lines("compiled"), 1, "the compiler ran once");
	build("accepted.c", &second);
	tap_ok(is_built(&second) && second.cached && second.spent_ns == 0,
	       "the second time it is cached");
	tap_str(second.artifact.key, first.artifact.key, "under the same key");
	tap_str(second.artifact.path, first.artifact.path, "as the same file");
	tap_int(count_lines("compiled"), 1, "without running the compiler");
	put("deep.h", "#define AMOUNT 3\n", 0600);
	put("amount.h", "#include \"./deep.h\"\n", 0600);
	build("accepted.c", &changed);
	tap_ok(is_built(&changed) && !changed.cached &&
		       strcmp(changed.artifact.key, first.artifact.key) != 0,
	       "a changed header makes another artifact");
	put("deep.h", "#pragma once\n#include \"missing.h\"\n#define AMOUNT 3\n", 0600);
	char key[HASH_TEXT_SIZE];
	memcpy(key, changed.artifact.key, sizeof key);
	pool_done_fini(&changed);
	build("accepted.c", &changed);
	tap_ok(!changed.cached && strcmp(changed.artifact.key, key) != 0,
	       "so does one that it includes");
	pool_done_fini(&changed);
	put("deep.h", "#pragma once\n#include \"./amount.h\"\n#define AMOUNT 3\n", 0600);
	build("accepted.c", &changed);
	tap_ok(is_built(&changed), "files may include each other");
	pool_done_fini(&changed);
	pool_done_fini(&first);
	pool_done_fini(&second);
}

/* A pool that builds anew has its own folder, which goes with it; the cache is left as it is. */
static void test_rebuild(void)
{
	const struct builder_ops *cc = builder_find("cc", NULL);
	struct pool_done first, again, third;
	struct artifact stored;
	struct asc_err e;

	build("accepted.c", &first);
	struct pool *p = open_pool(1, LIMIT_NS);
	tap_int(pool_rebuild(p, &e), ASC_OK, "a pool that builds anew");
	tap_ok(!submit(p, 1, "accepted.c", &e) && pool_take(p, -1, &again) && is_built(&again) &&
		       !again.cached,
	       "what the cache has is built all the same");
	tap_str(again.artifact.key, first.artifact.key, "under its key");
	tap_str(again.artifact.digest, first.artifact.digest, "with the same bytes");
	tap_ok(strcmp(again.artifact.path, first.artifact.path) != 0, "as another file");
	tap_ok(!submit(p, 2, "accepted.c", &e) && pool_take(p, -1, &third) && third.cached, "once");
	tap_ok(pool_recall(p, cc, first.artifact.key, &stored),
	       "the cache is asked for what it has");
	tap_str(stored.path, first.artifact.path, "which is the first file");
	pool_close(p);
	tap_ok(file_exists(first.artifact.path) && !file_exists(again.artifact.path),
	       "only what was built anew is gone with the pool");
	artifact_fini(&stored);
	pool_done_fini(&first);
	pool_done_fini(&again);
	pool_done_fini(&third);
}

static void test_truncated(void)
{
	struct pool_done done;

	build("accepted.c", &done);
	if (tap_ok(is_built(&done) && truncate(done.artifact.path, 0) == 0,
		   "an artifact is emptied")) {
		pool_done_fini(&done);
		build("accepted.c", &done);
		tap_ok(is_built(&done) && !done.cached, "an empty artifact is made again");
	}
	if (tap_ok(is_built(&done) && truncate(done.artifact.path, 100) == 0,
		   "an artifact is cut")) {
		pool_done_fini(&done);
		build("accepted.c", &done);
		tap_ok(is_built(&done) && !done.cached, "a cut artifact is made again");
	}
	FILE *f = is_built(&done) ? fopen(done.artifact.path, "r+") : NULL;
	if (tap_ok(f && fseek(f, 200, SEEK_SET) == 0 && fputs("damage", f) >= 0 && fclose(f) == 0,
		   "an artifact is changed")) {
		pool_done_fini(&done);
		build("accepted.c", &done);
		tap_ok(is_built(&done) && !done.cached, "a changed artifact is made again");
		pool_done_fini(&done);
		build("accepted.c", &done);
		tap_ok(is_built(&done) && done.cached, "and is good from then on");
	}
	pool_done_fini(&done);
}

/* The digest of what runs lies beside the artifact: it is taken from there, and made where an older
 * version has kept none. */
static void test_runs(void)
{
	struct pool_done first, again;
	struct buf kept = {0}, changed = {0};
	struct asc_err e;

	build("accepted.c", &first);
	tap_has(first.artifact.runs, "object:", "an artifact has a digest of what runs");
	if (!is_built(&first))
		return;
	char *seal = str_print("%.*s.sum", (int)(strlen(first.artifact.path) - strlen(".so")),
			       first.artifact.path);
	(void)file_read(seal, 0, &kept, &e);
	char *line = strstr(buf_str(&kept), first.artifact.runs);
	if (!tap_ok(line != NULL, "it is kept with the seal: %s", buf_str(&kept)))
		return;
	buf_add(&changed, kept.data, (size_t)(line - kept.data));
	(void)file_replace(seal, buf_str(&changed), changed.len, &e);
	build("accepted.c", &again);
	tap_ok(again.cached, "a seal without it holds, as older versions made them");
	tap_str(again.artifact.runs, first.artifact.runs, "and it is made of the file");
	pool_done_fini(&again);
	/* A digest that no file has shows that none is made. */
	buf_add_str(&changed, "object:0123 .runs\n");
	(void)file_replace(seal, buf_str(&changed), changed.len, &e);
	build("accepted.c", &again);
	tap_ok(again.cached && strcmp(again.artifact.runs, "object:0123") == 0,
	       "what is kept is not made again");
	(void)file_replace(seal, buf_str(&kept), kept.len, &e);
	pool_done_fini(&first);
	pool_done_fini(&again);
	buf_fini(&kept);
	buf_fini(&changed);
	free(seal);
}

static void test_remembered(void)
{
	struct pool_done first, second;

	build("broken.c", &first);
	size_t before = count_lines("compiled");
	build("broken.c", &second);
	tap_int(count_lines("compiled"), before, "a refused build is not tried again");
	tap_ok(!is_built(&second) && second.cached && second.spent_ns == 0,
	       "it fails from the cache");
	tap_has(second.reason, "broken.c:6", "with the same reason");
	tap_str(second.log, first.log, "and the same words");
	pool_done_fini(&first);
	pool_done_fini(&second);
	build("talking.c", &first);
	build("talking.c", &second);
	tap_ok(is_built(&first) && is_built(&second) && second.cached, "a warning does not matter");
	tap_has(second.log, "a word of warning", "but is kept");
	pool_done_fini(&first);
	pool_done_fini(&second);
}

static void test_bad_names(void)
{
	struct build_request r;
	struct pool_done done;
	struct asc_err e;
	struct pool *p = open_pool(1, LIMIT_NS);

	request_init(&r, "accepted.c", "16");
	replace(&r.entry, "add);system(\"x\"");
	tap_int(pool_submit(p, 1, builder_find("cc", NULL), &r, &e), ASC_INPUT,
		"an entry that is no identifier is an error");
	tap_has(e.text, "not an identifier", "the error says what an entry is not");
	tap_ok(!pool_take(p, -1, &done), "nothing is to be taken of what was not submitted");
	pool_close(p);
}

static void test_joined(void)
{
	enum { N = 5 };
	struct build_request r;
	struct pool *p = open_pool(2, LIMIT_NS);
	struct pool_done done;
	struct asc_err e;
	size_t before = count_lines("compiled"), ok = 0, cached = 0;
	uint64_t ids = 0;

	for (size_t i = 0; i < N; i++) { /* 0 1 0 1 0 */
		request_init(&r, "talking.c", i % 2 ? "101" : "100");
		(void)pool_submit(p, i, builder_find("cc", NULL), &r, &e);
	}
	tap_int(pool_pending(p), N, "all are pending");
	tap_int(pool_running(p), 2, "two commands make them");
	while (pool_take(p, -1, &done)) {
		ok += is_built(&done);
		cached += done.cached;
		ids |= UINT64_C(1) << done.id;
		pool_done_fini(&done);
	}
	tap_ok(ok == N && ids == 31, "each comes back once");
	tap_int(cached, 3, "three of them for nothing");
	tap_int(count_lines("compiled") - before, 2, "equal builds are joined");
	tap_int(pool_pending(p), 0, "nothing is pending");
	pool_close(p);
}

static void submit_width(struct pool *p, uint64_t id, const char *width)
{
	struct build_request r;
	struct asc_err e;

	request_init(&r, "talking.c", width);
	tap_int(pool_submit(p, id, builder_find("cc", NULL), &r, &e), ASC_OK, "%s is submitted",
		width);
}

/* Builds that nobody waits for go on, behind the others, and are found by whoever comes later. */
static void test_left(void)
{
	struct pool *p = open_pool(1, LIMIT_NS);
	const size_t before = count_lines("compiled");
	struct pool_done done;

	submit_width(p, 1, "200"); /* has the only place */
	submit_width(p, 2, "201");
	submit_width(p, 3, "202");
	pool_leave(p, 2);
	pool_leave(p, 3);
	submit_width(p, 4, "203");
	tap_int(pool_pending(p), 2, "nobody waits for what was left");
	tap_int(pool_running(p), 2, "which is not counted");
	tap_ok(pool_take(p, -1, &done) && done.id == 1, "the first build ends");
	pool_done_fini(&done);
	submit_width(p, 5, "202");
	tap_ok(pool_take(p, -1, &done) && done.id == 4 && is_built(&done),
	       "what comes later is built before what was left");
	pool_done_fini(&done);
	tap_ok(pool_take(p, -1, &done) && done.id == 5 && is_built(&done) && !done.cached,
	       "what was left is joined, and built before the others that were");
	pool_done_fini(&done);
	tap_ok(!pool_take(p, -1, &done), "nothing else is handed out");
	tap_int(count_lines("compiled") - before, 4,
		"each was built once, the last one that was left, too");
	submit_width(p, 6, "201");
	tap_ok(pool_take(p, -1, &done) && done.cached && done.spent_ns == 0, "and is in the cache");
	pool_done_fini(&done);
	submit_width(p, 7, "204");
	pool_leave(p, 7);
	pool_close(p);
	tap_int(count_leftovers(), 0, "a pool that closes ends what was left");
}

/* A pool_is_mine_fn. */
static bool is_of(const void *user, uint64_t id)
{
	return id / 10 == *(const uint64_t *)user;
}

/* Two who share a pool: each takes its own builds, and what both ask for is made once. */
static void test_shared(void)
{
	static const char *const widths[] = {"300", "301", "302"};
	const uint64_t one = 1, two = 2;
	struct pool_done done;
	size_t made = 0, n[2] = {0};
	struct pool *p = open_pool(1, LIMIT_NS);
	for (uint64_t i = 0; i < 3; i++) {
		submit_width(p, 10 + i, widths[i]);
		submit_width(p, 20 + i, widths[i]);
	}
	tap_int(pool_pending(p), 6, "both have three");
	tap_int(pool_running(p), 3, "of the same three builds");
	while (pool_pending(p) > 3) {
		if (pool_take_mine(p, is_of, &two, &done)) {
			n[1] += is_built(&done) && done.id / 10 == 2;
			made += !done.cached;
			pool_done_fini(&done);
		}
	}
	tap_int(n[1], 3, "the second takes its own, though the first asked before");
	while (pool_take_mine(p, is_of, &one, &done)) {
		n[0] += is_built(&done) && done.id / 10 == 1;
		made += !done.cached;
		pool_done_fini(&done);
	}
	tap_int(n[0], 3, "the first finds its own");
	tap_int(made, 3, "three were made");
	pool_close(p);
}

static void test_two_pools(void)
{
	struct build_request r;
	struct pool *p[2] = {open_pool(1, LIMIT_NS), open_pool(1, LIMIT_NS)};
	struct pool_done done[2] = {0};
	struct asc_err e;

	for (int i = 0; i < 2; i++) {
		request_init(&r, "accepted.c", "16");
		replace(&r.arch, "two pools");
		(void)pool_submit(p[i], 1, builder_find("cc", NULL), &r, &e);
	}
	for (int i = 0; i < 2; i++)
		tap_ok(pool_take(p[i], -1, &done[i]) && is_built(&done[i]),
		       "pool %d has an artifact", i);
	tap_str(done[0].artifact.path, done[1].artifact.path, "it is the same file");
	test_artifact(done[0].artifact.path);
	for (int i = 0; i < 2; i++) {
		pool_done_fini(&done[i]);
		pool_close(p[i]);
	}
	tap_int(count_leftovers(), 0, "no scratch folder is left");
}

/* RLIMIT_FSIZE is a full disk that needs no disk. */
static void test_full(const char *arch, rlim_t bytes)
{
	struct rlimit old, tight;
	struct pool_done done = {0};
	struct asc_err e;
	struct build_request r;
	struct pool *p = open_pool(1, LIMIT_NS);

	request_init(&r, "accepted.c", "16");
	replace(&r.arch, arch);
	getrlimit(RLIMIT_FSIZE, &old);
	tight = (struct rlimit){.rlim_cur = bytes, .rlim_max = old.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &tight);
	enum asc_status s = pool_submit(p, 1, builder_find("cc", NULL), &r, &e);
	bool taken = s == ASC_OK && pool_take(p, -1, &done);
	setrlimit(RLIMIT_FSIZE, &old);
	tap_ok(taken && !is_built(&done) && done.trouble == ASC_FULL, "no room for %s: %s", arch,
	       done.reason ? done.reason : "");
	pool_done_fini(&done);
	request_init(&r, "accepted.c", "16");
	replace(&r.arch, arch);
	if (pool_submit(p, 2, builder_find("cc", NULL), &r, &e) == ASC_OK)
		tap_ok(pool_take(p, -1, &done) && is_built(&done) && !done.cached,
		       "with room again it is built");
	pool_done_fini(&done);
	pool_close(p);
	tap_int(count_leftovers(), 0, "and no half file is left");
}

/* A process that was killed has left its scratch folder; one that lives keeps its own. */
static void test_leftovers(void)
{
	char host[256] = "";
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	(void)waitpid(child, NULL, 0);
	(void)gethostname(host, sizeof host - 1);
	char *dead = str_print("%s/artifacts/tmp-%s-%ld-abcdef", cache, host, (long)child);
	char *mine = str_print("%s/artifacts/tmp-%s-%ld-abcdef", cache, host, (long)getpid());
	tap_ok(mkdir(dead, 0700) == 0 && mkdir(mine, 0700) == 0, "two scratch folders");
	pool_close(open_pool(1, LIMIT_NS));
	tap_ok(!file_exists(dead), "that of an ended process is removed");
	tap_ok(file_exists(mine), "that of a living one stays");
	(void)rmdir(mine);
	free(dead);
	free(mine);
}

int main(void)
{
	if (!tap_ok(fixture_init(), "a temporary folder"))
		return tap_done();
	test_pool_options();
	test_cache();
	test_rebuild();
	test_truncated();
	test_runs();
	test_remembered();
	test_bad_names();
	test_joined();
	test_left();
	test_shared();
	test_two_pools();
	test_full("the generated source", 0);
	test_full("the artifact", 2000);
	test_leftovers();
	fixture_fini();
	return tap_done();
}

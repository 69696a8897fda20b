/* Compilers that stay: the pool gives one process several commands, and a process that dies or
 * hangs over one is replaced. The compiler is this program, told by its words what to do. */
#include "tuner/build/resident.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"

#define LIMIT_NS INT64_C(20000000000)
#define HANG_NS  INT64_C(3000000000)

static char cache[300];

/* ---- the compiler ---- */

static int obey(const char *const *words, size_t n, struct buf *log)
{
	struct asc_err e;

	if (n != 2)
		return 9;
	if (strcmp(words[1], "crash") == 0)
		abort();
	if (strcmp(words[1], "hang") == 0)
		pause();
	if (strcmp(words[1], "refuse") == 0) {
		buf_print(log, "k:1: error: refused by %d\n", (int)getpid());
		return 1;
	}
	for (int i = 0; strcmp(words[1], "noisy") == 0 && i < 20000; i++)
		(void)fprintf(stderr, "a library's line %d\n", i);
	if (strcmp(words[1], "long") == 0)
		for (int i = 0; i < 20000; i++)
			buf_print(log, "line %d\n", i);
	buf_print(log, "%d", (int)getpid());
	return file_write(words[0], words[1], strlen(words[1]), &e) ? 2 : 0;
}

/* ---- its builder: what is to be done is the entry's name up to a dot ---- */

static enum asc_status command(const struct build_job *job, const char *folder, const char *output,
			       struct build_command *out, struct asc_err *e)
{
	(void)folder;
	if (build_command_add(out, e, "/proc/self/exe") || build_command_add(out, e, "serve"))
		return e->status;
	out->n_resident = out->argc;
	if (build_command_add(out, e, "%s", output))
		return e->status;
	return build_command_add(out, e, "%.*s", (int)strcspn(job->entry, "."), job->entry);
}

static enum asc_status key(const struct build_job *job, struct hash *h, struct asc_err *e)
{
	(void)e;
	hash_add_str(h, job->entry);
	return ASC_OK;
}

static const struct builder_ops builder = {.version = BUILDER_OPS_VERSION,
					   .name = "obedient",
					   .suffix = ".txt",
					   .command = command,
					   .key = key};

/* ---- tests ---- */

static struct pool *open_pool(size_t jobs, int64_t limit_ns)
{
	struct pool *p = NULL;
	struct asc_err e;

	if (pool_open(cache, jobs, limit_ns, &p, &e))
		tap_ok(false, "%s", e.text);
	return p;
}

static void submit(struct pool *p, const char *entry)
{
	const struct build_job job = {.entry = entry};
	struct asc_err e;

	if (pool_submit(p, 1, &builder, &job, &e))
		tap_ok(false, "%s: %s", entry, e.text);
}

static struct pool_done build(struct pool *p, const char *entry)
{
	struct pool_done done = {0};

	submit(p, entry);
	tap_ok(pool_take(p, -1, &done), "%s comes back", entry);
	return done;
}

static void test_staying(void)
{
	struct pool *p = open_pool(1, LIMIT_NS);
	struct pool_done first = build(p, "good.1"), refused = build(p, "refuse.1");
	struct pool_done third = build(p, "good.2");

	tap_ok(first.ok && third.ok, "commands are done");
	tap_str(third.log ? third.log : "", first.log ? first.log : "none", "by one process");
	tap_ok(first.log && strtol(first.log, NULL, 10) != getpid(), "which is not this one");
	tap_ok(!refused.ok && !refused.trouble, "what is refused");
	tap_has(refused.reason ? refused.reason : "", "k:1: error: refused", "says why");
	pool_done_fini(&first);
	pool_done_fini(&refused);
	pool_done_fini(&third);
	first = build(p, "long.1");
	tap_ok(first.ok && strlen(first.log) == RESIDENT_LOG_BYTES, "long words are cut");
	pool_done_fini(&first);
	first = build(p, "noisy.1");
	tap_ok(first.ok, "an answer is found behind what a library prints");
	pool_done_fini(&first);
	pool_close(p);
}

static void test_faults(void)
{
	struct pool *p = open_pool(1, HANG_NS);
	struct pool_done first = build(p, "good.3"), crashed = build(p, "crash.1");
	struct pool_done second = build(p, "good.4"), hung = build(p, "hang.1");
	struct pool_done third = build(p, "good.5");

	tap_int(crashed.trouble, ASC_CHILD, "one that dies is the machine's trouble");
	tap_ok(hung.timeout && !hung.ok, "one that hangs is ended");
	tap_ok(first.ok && second.ok && third.ok, "others replace them");
	tap_ok(strcmp(first.log, second.log) != 0 && strcmp(second.log, third.log) != 0,
	       "as new processes");
	struct pool_done *const all[] = {&first, &crashed, &second, &hung, &third};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		pool_done_fini(all[i]);
	pool_close(p);
}

static void test_many(void)
{
	enum { JOBS = 3, COUNT = 40 };
	struct pool *p = open_pool(JOBS, LIMIT_NS);
	struct pool_done done;
	char names[COUNT][16];
	long pids[COUNT];
	int ok = 0, different = 0;

	for (int i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof names[i], "good.m%d", i);
		submit(p, names[i]);
	}
	for (int i = 0; i < COUNT && pool_take(p, -1, &done); i++) {
		ok += done.ok;
		pids[i] = done.log ? strtol(done.log, NULL, 10) : 0;
		bool known = false;
		for (int k = 0; k < i; k++)
			known |= pids[k] == pids[i];
		different += !known;
		pool_done_fini(&done);
	}
	tap_int(ok, COUNT, "many at once are done");
	tap_ok(different >= 1 && different <= JOBS, "by %d processes of at most %d", different,
	       JOBS);
	submit(p, "hang.2");
	pool_close(p);
}

int main(int argc, char **argv)
{
	const char *base = getenv("TMPDIR");

	(void)argv;
	if (argc > 1)
		return resident_serve(obey) ? 0 : 1;
	snprintf(cache, sizeof cache, "%s/resident-XXXXXX", base && *base ? base : "/tmp");
	if (!tap_ok(mkdtemp(cache), "there is a folder for the cache"))
		return tap_done();
	test_staying();
	test_faults();
	test_many();
	dir_remove(cache);
	return tap_done();
}

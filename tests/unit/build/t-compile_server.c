/* Compilers that stay: the pool gives one process several commands, and a process that dies or
 * hangs over one is replaced. The compiler is this program, told by its words what to do.
 * covers: compile_server.c build_places.c pool.c */
#include "tuner/build/compile_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/build/build_places.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"
#include "tuner/process/channel.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"

#define LIMIT_NS INT64_C(20000000000)
#define HANG_NS  INT64_C(3000000000)

static char cache[300];

/* ---- the compiler ---- */

static enum asc_status obey(const char *const *words, size_t n, struct compile_reply *out,
			    struct asc_err *e)
{
	if (n != 2)
		return asc_err_set(e, ASC_USAGE, "expected OUTPUT DEED");
	if (strcmp(words[1], "crash") == 0)
		abort();
	if (strcmp(words[1], "hang") == 0)
		pause();
	if (strcmp(words[1], "refuse") == 0)
		return asc_err_set(e, ASC_INPUT, "k:1: error: refused by %d", (int)getpid());
	if (strcmp(words[1], "short") == 0)
		return asc_err_set(e, ASC_NOMEM, "no memory for a kernel");
	for (int i = 0; strcmp(words[1], "noisy") == 0 && i < 20000; i++)
		(void)fprintf(stderr, "a library's line %d\n", i);
	if (strcmp(words[1], "long") == 0)
		for (int i = 0; i < 20000; i++)
			buf_print(&out->log, "line %d\n", i);
	buf_print(&out->log, "%d", (int)getpid());
	if (strcmp(words[1], "told") == 0)
		buf_add_str(&out->metadata, "{\"threads\":64}");
	out->outcome = strcmp(words[1], "plan") == 0 ? ARTIFACT_PLANNED : ARTIFACT_BUILT;
	return out->outcome == ARTIFACT_BUILT ? file_write(words[0], words[1], strlen(words[1]), e)
					      : ASC_OK;
}

static void get_ready(void)
{
}

static const struct compile_service service = {.open = get_ready, .compile = obey};

/* ---- its builder: what is to be done is the entry's name up to a dot ---- */

static void server(const char *program, struct build_command *out)
{
	(void)program;
	build_command_add(out, "/proc/self/exe");
	build_command_add(out, "serve");
	out->n_server = out->argc;
}

static const char *version = "one";

static enum asc_status toolchain(struct buf *out, struct asc_err *e)
{
	if (!version)
		return asc_err_set(e, ASC_ABSENT, "no compiler");
	buf_add_str(out, version);
	return buf_check(out, e);
}

static void command(const struct build_request *r, const char *folder, const char *output,
		    struct build_command *out)
{
	(void)folder;
	server(r->program, out);
	build_command_add(out, "%s", output);
	build_command_add(out, "%.*s", (int)strcspn(r->entry, "."), r->entry);
}

static void key(const struct build_request *r, struct hash *h)
{
	hash_add_str(h, r->entry);
}

/* What stands behind ".w" in the entry. */
static double weight(const struct build_request *r)
{
	const char *text = strstr(r->entry, ".w");

	return text ? strtod(text + 2, NULL) : 0;
}

static const struct builder_ops builder = {.name = "obedient",
					   .suffix = ".txt",
					   .toolchain = toolchain,
					   .server = server,
					   .command = command,
					   .weight = weight,
					   .key = key};

/* ---- tests ---- */

static bool is_built(const struct pool_done *d)
{
	return d->artifact.outcome == ARTIFACT_BUILT;
}

static struct pool *open_pool(size_t jobs, int64_t limit_ns)
{
	struct pool *p = NULL;
	struct asc_err e;

	if (pool_open(cache, jobs, limit_ns, &p, &e))
		tap_ok(false, "%s", e.text);
	return p;
}

static void submit_as(struct pool *p, uint64_t id, const char *entry)
{
	struct build_request r;
	struct asc_err e;

	build_request_init(&r, "source", entry, "any", NULL);
	if (pool_submit(p, id, &builder, &r, &e))
		tap_ok(false, "%s: %s", entry, e.text);
}

static void submit(struct pool *p, const char *entry)
{
	submit_as(p, 1, entry);
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

	tap_ok(is_built(&first) && is_built(&third), "commands are done");
	tap_str(third.log ? third.log : "", first.log ? first.log : "none", "by one process");
	tap_ok(first.log && strtol(first.log, NULL, 10) != getpid(), "which is not this one");
	tap_ok(!is_built(&refused) && !refused.trouble, "what is refused");
	tap_has(refused.reason ? refused.reason : "", "k:1: error: refused", "says why");
	pool_done_fini(&first);
	pool_done_fini(&refused);
	pool_done_fini(&third);
	first = build(p, "long.1");
	tap_ok(is_built(&first) && strlen(first.log) == COMPILE_SERVER_LOG_BYTES,
	       "long words are cut");
	pool_done_fini(&first);
	first = build(p, "noisy.1");
	tap_ok(is_built(&first), "an answer is found behind what a library prints");
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
	tap_ok(hung.timeout && !is_built(&hung), "one that hangs is ended");
	tap_ok(is_built(&first) && is_built(&second) && is_built(&third), "others replace them");
	tap_ok(strcmp(first.log, second.log) != 0 && strcmp(second.log, third.log) != 0,
	       "as new processes");
	struct pool_done *const all[] = {&first, &crashed, &second, &hung, &third};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		pool_done_fini(all[i]);
	pool_close(p);
}

/* What is told beside a file, and instead of one, is kept like a file. */
static void test_told(void)
{
	struct pool *p = open_pool(1, LIMIT_NS);
	struct pool_done told = build(p, "told.1"), again = build(p, "told.1");

	tap_str(told.artifact.metadata ? told.artifact.metadata : "", "{\"threads\":64}",
		"an artifact has the metadata that its compiler told");
	tap_ok(is_built(&again) && again.cached, "an artifact with metadata is found again");
	tap_str(again.artifact.metadata ? again.artifact.metadata : "", "{\"threads\":64}",
		"its metadata is found with it");
	tap_str(again.artifact.digest, told.artifact.digest, "its content has the same digest");
	char *json = str_print("%.*s.json", (int)(strlen(again.artifact.path) - strlen(".txt")),
			       again.artifact.path);
	struct asc_err e;
	tap_int(file_write(json, "{\"threads\":32}", 14, &e), ASC_OK, "metadata is changed");
	pool_done_fini(&again);
	again = build(p, "told.1");
	tap_ok(is_built(&again) && !again.cached, "with changed metadata it is built again");
	tap_int(unlink(json), 0, "metadata is removed");
	pool_done_fini(&again);
	again = build(p, "told.1");
	tap_ok(is_built(&again) && !again.cached, "without its metadata it is built again");
	pool_done_fini(&again);
	again = build(p, "told.1");
	tap_ok(is_built(&again) && again.cached, "what was built again is found");
	free(json);
	pool_done_fini(&again);
	pool_done_fini(&told);
	told = build(p, "plan.1");
	again = build(p, "plan.1");
	tap_ok(told.artifact.outcome == ARTIFACT_PLANNED && !told.artifact.path && !told.cached,
	       "a plan is a verdict without a file");
	tap_ok(again.artifact.outcome == ARTIFACT_PLANNED && again.cached, "a plan is found again");
	pool_done_fini(&again);
	pool_done_fini(&told);
	pool_close(p);
}

static void test_trouble(void)
{
	struct pool *p = open_pool(1, LIMIT_NS);
	struct pool_done done = build(p, "short.1");

	tap_int(done.trouble, ASC_NOMEM, "want of memory is the machine's trouble");
	tap_str(done.reason, "no memory for a kernel, in 3 tries",
		"trouble is in the compiler's words");
	pool_done_fini(&done);
	pool_close(p);
}

/* Processes are started ahead, and told apart by their toolchain. */
static void test_toolchains(void)
{
	struct pool *p = open_pool(2, LIMIT_NS);

	pool_warm(p, &builder, "", 2);
	struct pool_done first = build(p, "good.w1"), second = build(p, "good.w2");
	version = "two";
	struct pool_done third = build(p, "good.w3");
	version = NULL;
	pool_warm(p, &builder, "", 2);
	struct pool_done none = build(p, "good.w4");
	tap_int(none.trouble, ASC_ABSENT, "a compiler that is absent is told when it is needed");
	pool_done_fini(&none);
	version = "one";
	tap_ok(is_built(&first) && is_built(&second) && is_built(&third),
	       "commands are done by compilers that were started ahead");
	tap_str(first.log, second.log, "one toolchain, one process");
	tap_ok(strcmp(second.log, third.log) != 0, "another toolchain, another process");
	pool_done_fini(&first);
	pool_done_fini(&second);
	pool_done_fini(&third);
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
		ok += is_built(&done);
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

static void test_order(void)
{
	static const char *const entries[] = {"good.first", "good.w100", "good.w900", "good.w500"};
	static const uint64_t wanted[] = {0, 2, 3, 1};
	struct pool *p = open_pool(1, LIMIT_NS);
	struct pool_done done;

	for (uint64_t i = 0; i < 4; i++)
		submit_as(p, i, entries[i]);
	for (int i = 0; i < 4 && pool_take(p, -1, &done); i++) {
		tap_int(done.id, wanted[i], "build %d is %s", i, entries[wanted[i]]);
		pool_done_fini(&done);
	}
	pool_close(p);
}

/* Compilers that stay are started anew for each place that they may not read so far. */
static void test_places(void)
{
	struct build_places p = {0};
	struct build_command c;
	struct asc_err e;

	build_command_init(&c);
	build_command_add(&c, "%s", TEST_DATA "/unit/build/accepted.c");
	build_command_add(&c, "-I%s", TEST_DATA "/data/nvrtc");
	tap_int(sandbox_grant(TEST_DATA "/data/nvrtc/kernel.cu", false, &e), ASC_OK,
		"a workload is granted");
	tap_int(build_places_add(&p, &c, "", &e), ASC_OK, "places of a command are added");
	tap_int(p.n, 1, "what all children may read is no place of a command's own");
	tap_str(p.n ? p.list[0] : "", TEST_DATA "/unit/build/accepted.c", "another file is one");
	build_places_fini(&p);
	build_command_fini(&c);
}

/* ---- one process, asked directly ---- */

static void check_answer(struct channel *c, const char *request, const char *want)
{
	struct buf line = {0}, text = {0};
	struct json_doc *doc = NULL;
	struct asc_err e;

	buf_add_str(&line, request);
	if (tap_ok(!channel_send(c, &line, &e) && !channel_receive(c, LIMIT_NS, &doc, &e) && doc,
		   "%s is answered", request)) {
		json_write_node(&(struct json_writer){.out = &text}, NULL, json_root(doc));
		tap_has(buf_str(&text), want, "with %s", want);
	}
	json_close(doc);
	buf_fini(&text);
	buf_fini(&line);
}

static void test_end(void)
{
	static const char *const argv[] = {"/proc/self/exe", "serve", NULL};
	const struct proc_options o = {.argv = argv, .channel = true, .quiet = true};
	const int64_t end = clock_now_ns() + LIMIT_NS;
	struct proc p;
	struct channel c;
	struct asc_err e;

	if (!tap_ok(!proc_start(&p, &o, &e), "a compiler starts"))
		return;
	channel_init(&c, p.channel);
	check_answer(&c, "{\"do\":\"hello\"}", "\"event\":\"ready\"");
	check_answer(&c, "{\"do\":\"compile\",\"words\":[\"/dev/null\",\"plan\"]}",
		     "\"outcome\":\"planned\"");
	check_answer(&c, "{\"do\":\"compile\",\"words\":[\"one\"]}",
		     "\"outcome\":\"refused\",\"log\":\"expected OUTPUT DEED\\n\"");
	check_answer(&c, "{\"do\":\"compile\",\"words\":[\"one\",2]}", "\"outcome\":\"refused\"");
	check_answer(&c, "{\"do\":\"compile\",\"words\":[\"/dev/null\",\"short\"]}",
		     "\"event\":\"failed\",\"status\":\"nomem\"");
	tap_int(shutdown(p.channel, SHUT_WR), 0, "the channel ends");
	while (!proc_reap(&p) && clock_now_ns() < end)
		usleep(1000);
	tap_ok(p.pid == 0 && p.status == 0, "then the compiler ends, and did nothing wrong");
	channel_fini(&c);
	proc_kill(&p);
}

int main(int argc, char **argv)
{
	const char *base = getenv("TMPDIR");

	(void)argv;
	if (argc > 1)
		return compile_serve(&service) ? 0 : 1;
	snprintf(cache, sizeof cache, "%s/server-XXXXXX", base && *base ? base : "/tmp");
	if (!tap_ok(mkdtemp(cache), "there is a folder for the cache"))
		return tap_done();
	test_staying();
	test_faults();
	test_told();
	test_trouble();
	test_toolchains();
	test_many();
	test_order();
	test_places();
	test_end();
	dir_remove(cache);
	return tap_done();
}

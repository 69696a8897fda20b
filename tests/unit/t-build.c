#include <dirent.h>
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
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/build/builder.h"
#include "tuner/build/outcome.h"
#include "tuner/build/pool.h"

#define LIMIT_NS INT64_C(60000000000)

static char scratch[300], cache[340];

/* ---- files ---- */

static void put(const char *name, const char *text, mode_t mode)
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

static size_t count_lines(const char *name)
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

/* Scratch folders that builds have left in the cache. */
static size_t count_leftovers(void)
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

/* ---- one job by hand ---- */

static const char *const names[] = {"WIDTH", "PACKED", "SCALE", "SHIFT", "THREADS"};
static const char *flags[] = {"-DCTYPE_T_IS_REAL=1", NULL};
static struct parameter parameters[] = {{.name = "WIDTH"},
					{.name = "PACKED"},
					{.name = "SCALE"},
					{.name = "SHIFT"},
					{.name = "THREADS", .stage = STAGE_LAUNCH}};
static struct dtype_variable dtypes[] = {{"T", DTYPE_F32}};
static struct bound_tensor tensors[] = {{.present = true, .dtype = DTYPE_F32},
					{.present = true, .dtype = DTYPE_F32}};
static const struct problem problem = {.name = "p", .dtypes = dtypes, .n_dtypes = 1};
static const struct workload workload = {.folder = scratch};
static const struct implementation implementation = {
	.name = "i", .parameters = parameters, .n_parameters = 5};
static const struct binding binding = {
	.workload = &workload, .problem = &problem, .device = "cpu", .tensors = tensors};
static const struct plan plan = {.n_arguments = 4,
				 .arguments = {{.kind = ARG_TENSOR, .tensor = 0},
					       {.kind = ARG_TENSOR, .tensor = 1},
					       {.kind = ARG_SCALAR, .type = DTYPE_I64},
					       {.kind = ARG_BUILTIN}}};

struct job {
	struct callable call;
	struct config config;
	struct build_job job;
};

static void job_init(struct job *j, const char *source)
{
	*j = (struct job){.call = {.source = source, .flags = {.names = flags, .n = 1}},
			  .config = {.n = 5}};
	j->config.values[0] = value_int(16);
	j->config.values[1] = value_bool(true);
	j->config.values[2] = value_real(2);
	j->config.values[3] = value_int(-3);
	j->config.values[4] = value_int(1);
	j->job = (struct build_job){.workload = &workload,
				    .call = &j->call,
				    .implementation = &implementation,
				    .config = &j->config,
				    .names = names,
				    .binding = &binding,
				    .plan = &plan,
				    .device = "cpu",
				    .arch = "test",
				    .entry = "add"};
}

static struct pool *open_pool(size_t jobs, int64_t limit_ns)
{
	struct pool *p = NULL;
	struct asc_err e;

	if (pool_open(cache, jobs, limit_ns, &p, &e))
		tap_ok(false, "pool_open: %s", e.text);
	return p;
}

/* Builds one job alone; the caller ends *done. */
static void build_job(const struct build_job *job, int64_t limit_ns, struct pool_done *done)
{
	struct pool *p = open_pool(1, limit_ns);
	struct asc_err e;

	*done = (struct pool_done){0};
	if (pool_submit(p, 7, builder_find("cc"), job, &e))
		tap_ok(false, "pool_submit: %s", e.text);
	else
		tap_ok(pool_take(p, -1, done) && done->id == 7, "%s: one build comes back",
		       job->call->source);
	pool_close(p);
}

static void build(const char *source, struct pool_done *done)
{
	struct job j;

	job_init(&j, source);
	build_job(&j.job, LIMIT_NS, done);
}

/* ---- tests ---- */

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

static void test_cache(void)
{
	struct pool_done first, second, changed;

	build("accepted.c", &first);
	if (!tap_ok(first.ok && !first.cached && !first.reason, "a kernel is compiled") &&
	    first.log)
		tap_note("%s", first.log);
	tap_ok(first.spent_ns > 0, "and takes time");
	if (first.artifact)
		test_artifact(first.artifact);
	tap_int(count_lines("compiled"), 1, "the compiler ran once");
	build("accepted.c", &second);
	tap_ok(second.ok && second.cached && second.spent_ns == 0, "the second time it is cached");
	tap_str(second.key, first.key, "under the same key");
	tap_str(second.artifact, first.artifact, "as the same file");
	tap_int(count_lines("compiled"), 1, "without running the compiler");
	put("deep.h", "#define AMOUNT 3\n", 0600);
	put("amount.h", "#include \"./deep.h\"\n", 0600);
	build("accepted.c", &changed);
	tap_ok(changed.ok && !changed.cached && strcmp(changed.key, first.key) != 0,
	       "a changed header makes another artifact");
	put("deep.h", "#pragma once\n#include \"missing.h\"\n#define AMOUNT 3\n", 0600);
	char key[HASH_TEXT_SIZE];
	memcpy(key, changed.key, sizeof key);
	pool_done_fini(&changed);
	build("accepted.c", &changed);
	tap_ok(!changed.cached && strcmp(changed.key, key) != 0, "so does one that it includes");
	pool_done_fini(&changed);
	put("deep.h", "#pragma once\n#include \"./amount.h\"\n#define AMOUNT 3\n", 0600);
	build("accepted.c", &changed);
	tap_ok(changed.ok, "files may include each other");
	pool_done_fini(&changed);
	pool_done_fini(&first);
	pool_done_fini(&second);
}

static void test_truncated(void)
{
	struct pool_done done;

	build("accepted.c", &done);
	if (tap_ok(done.ok && truncate(done.artifact, 0) == 0, "an artifact is emptied")) {
		pool_done_fini(&done);
		build("accepted.c", &done);
		tap_ok(done.ok && !done.cached, "an empty artifact is made again");
	}
	if (tap_ok(done.ok && truncate(done.artifact, 100) == 0, "an artifact is cut")) {
		pool_done_fini(&done);
		build("accepted.c", &done);
		tap_ok(done.ok && !done.cached, "a cut artifact is made again");
	}
	FILE *f = done.ok ? fopen(done.artifact, "r+") : NULL;
	if (tap_ok(f && fseek(f, 200, SEEK_SET) == 0 && fputs("damage", f) >= 0 && fclose(f) == 0,
		   "an artifact is changed")) {
		pool_done_fini(&done);
		build("accepted.c", &done);
		tap_ok(done.ok && !done.cached, "a changed artifact is made again");
		pool_done_fini(&done);
		build("accepted.c", &done);
		tap_ok(done.ok && done.cached, "and is good from then on");
	}
	pool_done_fini(&done);
}

/* A header in a place that no search of our own knows: the compiler's list has it. */
static void test_list(void)
{
	char *prefix = str_print("%s/", scratch);
	const char *more[] = {"-DCTYPE_T_IS_REAL=1", "-iprefix", prefix,
			      "-iwithprefixbefore",  "hid den",  NULL};
	struct pool_done first, second, third;
	struct job j;

	char *folder = path_join(scratch, "hid den");
	tap_int(mkdir(folder, 0700), 0, "a folder");
	put("hid den/a mount$.h", "#define AMOUNT 3\n", 0600);
	put("listed.c",
	    "#include <stdint.h>\n#include <a mount$.h>\n"
	    "static void add(float *o, const float *i, int64_t n, int64_t x)\n"
	    "{\n\tfor (int64_t k = 0; k < n; k++)\n\t\to[k] = i[k] + AMOUNT + (float)x;\n}\n",
	    0600);
	job_init(&j, "listed.c");
	j.call.flags = (struct name_list){.names = more, .n = 5};
	build_job(&j.job, LIMIT_NS, &first);
	tap_ok(first.ok, "a hidden header: %s", first.reason ? first.reason : "");
	build_job(&j.job, LIMIT_NS, &second);
	tap_ok(second.ok && second.cached, "as long as it is the same, it is cached");
	put("hid den/a mount$.h", "#define AMOUNT 4\n", 0600);
	build_job(&j.job, LIMIT_NS, &third);
	tap_ok(third.ok && !third.cached, "when it changes, the artifact is built again");
	tap_str(third.key, first.key, "although no key knows of it");
	pool_done_fini(&first);
	pool_done_fini(&second);
	pool_done_fini(&third);
	free(folder);
	free(prefix);
}

static enum asc_status key_of(const struct build_job *job, char key[HASH_TEXT_SIZE])
{
	struct asc_err e;
	struct hash *h = hash_new();
	enum asc_status s = builder_find("cc")->key(job, h, &e);

	hash_print(h, key);
	hash_free(h);
	return s;
}

static void test_key(void)
{
	struct job j, other;
	char key[HASH_TEXT_SIZE], changed[HASH_TEXT_SIZE];

	job_init(&j, "accepted.c");
	tap_int(key_of(&j.job, key), ASC_OK, "a key");
#define DIFFERS(what, change)                                                                      \
	do {                                                                                       \
		job_init(&other, "accepted.c");                                                    \
		change;                                                                            \
		(void)key_of(&other.job, changed);                                                 \
		tap_ok(strcmp(key, changed) != 0, "the key depends on %s", what);                  \
	} while (0)
	DIFFERS("a build-stage parameter", other.config.values[0] = value_int(17));
	DIFFERS("the entry", other.job.entry = "sub");
	DIFFERS("the architecture", other.job.arch = "other");
	DIFFERS("flags", other.call.flags.n = 0);
	DIFFERS("the source", other.call.source = "broken.c");
	DIFFERS("what it is for", other.job.implementation = NULL);
	struct plan others = plan;
	others.arguments[2].type = DTYPE_I32;
	DIFFERS("types of arguments", other.job.plan = &others);
	job_init(&other, "accepted.c");
	other.config.values[4] = value_int(9);
	(void)key_of(&other.job, changed);
	tap_str(changed, key, "the key does not depend on a launch-stage parameter");
	other.job.plan = NULL;
	other.job.config = NULL;
	other.job.names = NULL;
	tap_int(key_of(&other.job, changed), ASC_OK, "an implementation has a key of its own");
	other.call.source = "nowhere.c";
	tap_int(key_of(&other.job, changed), ASC_NOTFOUND, "a missing source is an error");
}

static void test_refused(void)
{
	static const struct {
		const char *source, *reason, *what;
	} cases[] = {
		{"broken.c", "undeclared_thing", "a compile error"},
		{"pointer.c", "add(): arguments[0]: the kernel's parameter is double *",
		 "another element type"},
		{"narrow.c", "add(): arguments[2]: the kernel's parameter is int",
		 "a narrower integer"},
		{"fewer.c", "add(): the workload passes 4 arguments, the kernel takes 2",
		 "fewer parameters"},
		{"nameless.c", "the source has no function add", "a missing entry"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pool_done done;
		build(cases[i].source, &done);
		tap_ok(!done.ok && !done.timeout && !done.trouble && !done.artifact,
		       "%s is refused", cases[i].what);
		tap_has(done.reason, cases[i].reason, "the reason names it");
		tap_has(done.log, "error", "the compiler's words are there");
		pool_done_fini(&done);
	}
}

static void test_remembered(void)
{
	struct pool_done first, second;
	size_t before = count_lines("compiled");

	build("broken.c", &first);
	tap_int(count_lines("compiled"), before, "a refused build is not tried again");
	build("broken.c", &second);
	tap_ok(!second.ok && second.cached && second.spent_ns == 0, "it fails from the cache");
	tap_has(second.reason, "broken.c:6", "with the same reason");
	tap_str(second.log, first.log, "and the same words");
	pool_done_fini(&first);
	pool_done_fini(&second);
	build("talking.c", &first);
	build("talking.c", &second);
	tap_ok(first.ok && second.ok && second.cached, "a warning does not matter");
	tap_has(second.log, "a word of warning", "but is kept");
	pool_done_fini(&first);
	pool_done_fini(&second);
}

static void test_reference(void)
{
	struct job j;
	struct pool_done done;

	job_init(&j, "doubles.c");
	j.job.implementation = NULL;
	j.job.config = NULL;
	j.job.names = NULL;
	build_job(&j.job, LIMIT_NS, &done);
	tap_ok(done.ok, "a reference is compiled for doubles: %s", done.reason ? done.reason : "");
	pool_done_fini(&done);
}

static void test_bad_names(void)
{
	struct job j;
	struct pool_done done;
	struct asc_err e;
	struct pool *p = open_pool(1, LIMIT_NS);

	job_init(&j, "accepted.c");
	j.job.entry = "add);system(\"x\"";
	tap_int(pool_submit(p, 1, builder_find("cc"), &j.job, &e), ASC_INPUT,
		"an entry that is no identifier is an error");
	tap_has(e.text, "not an identifier", "with that text");
	tap_ok(!pool_take(p, -1, &done), "nothing is to be taken then");
	pool_close(p);
}

static void test_joined(void)
{
	enum { N = 5 };
	struct job jobs[N];
	struct pool *p = open_pool(2, LIMIT_NS);
	struct pool_done done;
	struct asc_err e;
	size_t before = count_lines("compiled"), ok = 0, cached = 0;
	uint64_t ids = 0;

	for (size_t i = 0; i < N; i++) { /* 0 1 0 1 0 */
		job_init(&jobs[i], "talking.c");
		jobs[i].config.values[0] = value_int(100 + (int64_t)i % 2);
		(void)pool_submit(p, i, builder_find("cc"), &jobs[i].job, &e);
	}
	tap_int(pool_pending(p), N, "all are pending");
	tap_int(pool_running(p), 2, "two commands make them");
	while (pool_take(p, -1, &done)) {
		ok += done.ok;
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

static void test_two_pools(void)
{
	struct job j;
	struct pool *p[2] = {open_pool(1, LIMIT_NS), open_pool(1, LIMIT_NS)};
	struct pool_done done[2] = {0};
	struct asc_err e;

	job_init(&j, "accepted.c");
	j.call.flags.n = 1;
	j.job.arch = "two pools";
	for (int i = 0; i < 2; i++)
		(void)pool_submit(p[i], 1, builder_find("cc"), &j.job, &e);
	for (int i = 0; i < 2; i++)
		tap_ok(pool_take(p[i], -1, &done[i]) && done[i].ok, "pool %d has an artifact", i);
	tap_str(done[0].artifact, done[1].artifact, "it is the same file");
	test_artifact(done[0].artifact);
	for (int i = 0; i < 2; i++) {
		pool_done_fini(&done[i]);
		pool_close(p[i]);
	}
	tap_int(count_leftovers(), 0, "no scratch folder is left");
}

static void test_timeout(void)
{
	struct job j;
	struct pool_done done;
	struct asc_err e;

	setenv("CC", "/bin/sh", 1);
	put("slow",
	    "#!/bin/sh\n[ \"$1\" = --version ] && echo slow && exit\n"
	    "mkdir \"$TMPDIR/deep\" && echo half >\"$TMPDIR/deep/left.s\" && echo \"in $LC_ALL\"\n"
	    "sleep 100\n",
	    0700);
	char *script = path_join(scratch, "slow");
	setenv("CC", script, 1);
	job_init(&j, "accepted.c");
	build_job(&j.job, 1000000000, &done);
	tap_ok(!done.ok && done.timeout && !done.trouble, "an endless compiler is stopped");
	tap_str(done.reason, "the compiler took longer than 1 s", "with a reason");
	tap_str(done.log, "in C\n", "after it has spoken in the language that we read");
	pool_done_fini(&done);
	tap_int(count_leftovers(), 0, "what it has left in TMPDIR is gone");

	struct pool *p = open_pool(1, LIMIT_NS);
	(void)pool_submit(p, 1, builder_find("cc"), &j.job, &e);
	tap_ok(!pool_take(p, 0, &done), "nothing is done yet");
	tap_ok(!pool_take(p, 30000000, &done), "nor a little later");
	pool_close(p);
	tap_int(count_leftovers(), 0, "closing kills what runs and leaves nothing");
	free(script);
}

static void test_bad_compilers(void)
{
	char reason[200], *script = path_join(scratch, "odd");
	struct pool_done done;

	put("odd", "#!/bin/sh\n[ \"$1\" = --version ] && echo odd && exit\nexit 3\n", 0700);
	setenv("CC", script, 1);
	build("accepted.c", &done);
	tap_str(done.reason, "the compiler exited with status 3 and said nothing",
		"a silent failure has a reason");
	pool_done_fini(&done);
	put("odd", "#!/bin/sh\n[ \"$1\" = --version ] && echo odd2 && exit\nexit 0\n", 0700);
	setenv("CC", "", 1);
	tap_ok(builder_find("cc")->check(reason, sizeof reason), "an empty CC is none");
	char *words = str_print("%s  -pipe", script);
	setenv("CC", words, 1);
	build("accepted.c", &done);
	tap_int(done.trouble, ASC_CHILD, "a compiler that makes nothing is trouble of its own");
	pool_done_fini(&done);
	setenv("CC", "no-such-compiler -O1", 1);
	tap_ok(!builder_find("cc")->check(reason, sizeof reason), "a wrong CC is told");
	tap_str(reason, "CC=no-such-compiler -O1: there is no program no-such-compiler",
		"with its words");
	unsetenv("CC");
	free(words);
	free(script);
}

static void test_no_compiler(void)
{
	char reason[200], *path = str_dup(getenv("PATH"));
	struct job j;
	struct asc_err e;
	struct pool *p = open_pool(1, LIMIT_NS);

	unsetenv("CC");
	setenv("PATH", scratch, 1);
	tap_ok(!builder_find("cc")->check(reason, sizeof reason), "without a compiler");
	tap_str(reason, "no C compiler in PATH (looked for cc, gcc, clang)", "the reason says so");
	job_init(&j, "accepted.c");
	tap_int(pool_submit(p, 1, builder_find("cc"), &j.job, &e), ASC_ABSENT, "nothing is built");
	setenv("PATH", path, 1);
	pool_close(p);
	free(path);
}

/* RLIMIT_FSIZE is a full disk that needs no disk. */
static void test_full(const char *arch, rlim_t bytes)
{
	struct rlimit old, tight;
	struct pool_done done = {0};
	struct asc_err e;
	struct job j;
	struct pool *p = open_pool(1, LIMIT_NS);

	job_init(&j, "accepted.c");
	j.job.arch = arch;
	getrlimit(RLIMIT_FSIZE, &old);
	tight = (struct rlimit){.rlim_cur = bytes, .rlim_max = old.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &tight);
	enum asc_status s = pool_submit(p, 1, builder_find("cc"), &j.job, &e);
	bool taken = s == ASC_OK && pool_take(p, -1, &done);
	setrlimit(RLIMIT_FSIZE, &old);
	tap_ok(taken && !done.ok && done.trouble == ASC_FULL, "no room for %s: %s", arch,
	       done.reason ? done.reason : "");
	pool_done_fini(&done);
	if (pool_submit(p, 2, builder_find("cc"), &j.job, &e) == ASC_OK)
		tap_ok(pool_take(p, -1, &done) && done.ok && !done.cached,
		       "with room again it is built");
	pool_done_fini(&done);
	pool_close(p);
	tap_int(count_leftovers(), 0, "and no half file is left");
}

static void test_outcome(void)
{
	static const struct {
		const char *log, *reason;
	} cases[] = {
		{"", ""},
		{"\nwhat\nelse\n", "what"},
		{"/a/errors/k.c:1: warning: w\n/a/b/k.c:3:5: error: no\n", "k.c:3:5: error: no"},
		{"cc1: fatal error: x/y.h: no\n", "cc1: fatal error: x/y.h: no"},
		{"In file: /a/b\n", "In file: /a/b"},
		{"/usr/bin/ld: /t/a.o: in function `f':\n/s/k.c:(.text+0x5): undefined reference "
		 "to "
		 "`g'\ncollect2: error: ld returned 1 exit status\n",
		 "k.c:(.text+0x5): undefined reference to `g'"},
		{"/usr/bin/ld: odd flag\ncollect2: error: ld returned 1 exit status\n",
		 "ld: odd flag"},
		{"/tmp/ccZ147HK.s: Assembler messages:\n"
		 "/tmp/ccZ147HK.s:23: Error: no such instruction: `foo'\n",
		 "assembler: no such instruction: `foo'"},
		{"{standard input}: Assembler messages:\n"
		 "{standard input}:23: Error: operand type mismatch for `mov'\n",
		 "assembler: operand type mismatch for `mov'"},
		{"k.c:1: Error: odd\n", "k.c:1: Error: odd"},
		{"collect2: error: ld returned 1 exit status\n",
		 "collect2: error: ld returned 1 exit status"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *reason = outcome_reason(cases[i].log);
		tap_str(reason, cases[i].reason, "reason %zu", i);
		free(reason);
	}
	char log[2000] = "error: ";
	for (size_t i = 7; i + 2 < sizeof log; i += 2)
		memcpy(log + i, "\xc3\xa9", 3);
	char *reason = outcome_reason(log);
	size_t n = strlen(reason);
	tap_ok(n <= 1003 && strcmp(reason + n - 5, "\xc3\xa9...") == 0,
	       "a long line is cut between characters");
	free(reason);
	tap_int(outcome_trouble("ld: error: No space left on device", 1 << 8), ASC_FULL,
		"a full disk is no verdict");
	static const struct {
		const char *log;
		enum asc_status trouble;
	} signs[] = {
		{"k.c:1:2: error: #error \"Cannot allocate memory\"\n", ASC_OK},
		{"k.c: In function 'f':\nk.c:1:2: error: \"x\"\n"
		 "    1 | #error \"No space left on device\"\n",
		 ASC_OK},
		{"k.cu(3): error: static assertion failed with \"out of memory\"\n", ASC_OK},
		{"k.c:3: fatal error: error writing to /tmp/x.s: No space left on device\n",
		 ASC_FULL},
		{"{standard input}:7: Fatal error: out of memory\n", ASC_NOMEM},
		{"/tmp/a.s:7: Fatal error: x.o: Disk quota exceeded\n", ASC_FULL},
		{"virtual memory exhausted: Cannot allocate memory\n", ASC_NOMEM},
		{"cc: fatal error: Killed signal terminated program cc1\n", ASC_CHILD},
		{"clang: error: unable to execute command: Killed\n", ASC_CHILD},
		{"error: NVRTC cannot compile: NVRTC_ERROR_OUT_OF_MEMORY\n", ASC_NOMEM},
	};
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		tap_int(outcome_trouble(signs[i].log, 1 << 8), signs[i].trouble, "sign %zu", i);
	tap_int(outcome_trouble("error: No such thing", 1 << 8), ASC_OK, "an error is one");
	tap_int(outcome_trouble("", 9), ASC_CHILD, "a killed compiler is none");
	tap_ok(outcome_lasts("k.c:1:1: error: unknown type name"), "an error lasts");
	tap_ok(!outcome_lasts("k.c:1:1: fatal error: z.h: No such file or directory") &&
		       !outcome_lasts("ld: cannot find -lz: No such file or directory"),
	       "a header or a library may be installed");
}

static void test_pool_options(void)
{
	struct asc_err e;
	struct pool *p = NULL;
	char *file = path_join(scratch, "accepted.c");

	tap_int(pool_open(cache, 0, LIMIT_NS, &p, &e), ASC_USAGE, "no jobs at once is an error");
	tap_ok(pool_open(file, 1, LIMIT_NS, &p, &e) != ASC_OK && !p, "a file is no cache");
	tap_has(e.text, "accepted.c", "and is named");
	tap_ok(builder_find("cc") == builder_list[0] && !builder_find("cobol"), "builder_find");
	free(file);
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

static bool prepare(void)
{
	static const char *const files[] = {"accepted.c", "broken.c",   "pointer.c", "narrow.c",
					    "fewer.c",    "nameless.c", "talking.c", "doubles.c"};
	const char *tmp = getenv("TMPDIR");

	snprintf(scratch, sizeof scratch, "%.200s/t-build-XXXXXX", tmp && *tmp ? tmp : "/tmp");
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

int main(void)
{
	setenv("LC_ALL", "de_DE.UTF-8", 1); /* where it is installed, compilers speak German */
	if (!tap_ok(prepare(), "a temporary folder"))
		return tap_done();
	test_outcome();
	test_pool_options();
	test_cache();
	test_truncated();
	test_list();
	test_leftovers();
	test_key();
	test_refused();
	test_remembered();
	test_reference();
	test_bad_names();
	test_joined();
	test_two_pools();
	test_full("the generated source", 0);
	test_full("the artifact", 2000);
	test_timeout();
	test_bad_compilers();
	test_no_compiler();
	dir_remove(scratch);
	return tap_done();
}

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
#include "tuner/base/sandbox.h"
#include "tuner/build/builder.h"
#include "tuner/build/outcome.h"
#include "tuner/build/pool.h"
#include "tuner/sources/sources.h"

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

/* ---- one request ---- */

/* What the sources of this test are built with; `width` is one of their macros. */
static void request_init(struct build_request *r, const char *source, const char *width)
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
	build_request_add_argument(r, BUILD_TENSOR, DTYPE_F32, NULL);
	build_request_add_argument(r, BUILD_TENSOR, DTYPE_F32, NULL);
	build_request_add_argument(r, BUILD_SCALAR, DTYPE_I64, NULL);
	build_request_add_argument(r, BUILD_BUILTIN, DTYPE_I64, NULL);
	free(path);
}

static bool is_built(const struct pool_done *d)
{
	return d->artifact.outcome == ARTIFACT_BUILT;
}

static struct pool *open_pool(size_t jobs, int64_t limit_ns)
{
	struct pool *p = NULL;
	struct asc_err e;

	if (pool_open(cache, jobs, limit_ns, &p, &e))
		tap_ok(false, "pool_open: %s", e.text);
	return p;
}

static enum asc_status submit(struct pool *p, uint64_t id, const char *source, struct asc_err *e)
{
	struct build_request r;

	request_init(&r, source, "16");
	return pool_submit(p, id, builder_find("cc"), &r, e);
}

/* Builds one request alone; the caller ends *done. */
static void build_request(struct build_request *r, int64_t limit_ns, struct pool_done *done)
{
	struct pool *p = open_pool(1, limit_ns);
	struct asc_err e;

	*done = (struct pool_done){0};
	if (pool_submit(p, 7, builder_find("cc"), r, &e))
		tap_ok(false, "pool_submit: %s", e.text);
	else
		tap_ok(pool_take(p, -1, done) && done->id == 7, "one build comes back");
	pool_close(p);
}

static void build(const char *source, struct pool_done *done)
{
	struct build_request r;

	request_init(&r, source, "16");
	build_request(&r, LIMIT_NS, done);
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
	const struct builder_ops *cc = builder_find("cc");
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

/* A header in a place that no search of our own knows: the compiler's list has it. */
static void test_list(void)
{
	char *prefix = str_print("%s/", scratch);
	struct pool_done done[3];

	char *folder = path_join(scratch, "hid den");
	tap_int(mkdir(folder, 0700), 0, "a folder");
	put("hid den/a mount$.h", "#define AMOUNT 3\n", 0600);
	put("listed.c",
	    "#include <stdint.h>\n#include <a mount$.h>\n"
	    "static void add(float *o, const float *i, int64_t n, int64_t x)\n"
	    "{\n\tfor (int64_t k = 0; k < n; k++)\n\t\to[k] = i[k] + AMOUNT + (float)x;\n}\n",
	    0600);
	for (size_t i = 0; i < 3; i++) {
		struct build_request request;

		if (i == 2) {
			put("hid den/a mount$.h", "#define AMOUNT 4\n", 0600);
			sources_watch(); /* the next problem */
		}
		request_init(&request, "listed.c", "16");
		build_request_add_flag(&request, "-iprefix");
		build_request_add_flag(&request, prefix);
		build_request_add_flag(&request, "-iwithprefixbefore");
		build_request_add_flag(&request, "hid den");
		build_request(&request, LIMIT_NS, &done[i]);
	}
	tap_ok(is_built(&done[0]), "a hidden header: %s", done[0].reason ? done[0].reason : "");
	tap_ok(is_built(&done[1]) && done[1].cached,
	       "as long as a hidden header is the same, it is cached");
	tap_ok(is_built(&done[2]) && !done[2].cached,
	       "when it changes, the artifact is built again");
	tap_str(done[2].artifact.key, done[0].artifact.key,
		"the key knows nothing of a hidden header");
	for (size_t i = 0; i < 3; i++)
		pool_done_fini(&done[i]);
	free(folder);
	free(prefix);
}

/* Ends the request. */
static enum asc_status key_of(struct build_request *r, char key[HASH_TEXT_SIZE])
{
	struct asc_err e;
	struct hash h;

	hash_init(&h);
	builder_hash(builder_find("cc"), r, &h);
	build_request_fini(r);
	return hash_end(&h, key, &e);
}

static void replace(char **text, const char *with)
{
	free(*text);
	*text = str_dup(with);
}

static void test_key(void)
{
	struct build_request r;
	char key[HASH_TEXT_SIZE], changed[HASH_TEXT_SIZE];

	request_init(&r, "accepted.c", "16");
	tap_int(key_of(&r, key), ASC_OK, "a key");
#define DIFFERS(what, change)                                                                      \
	do {                                                                                       \
		request_init(&r, "accepted.c", "16");                                              \
		change;                                                                            \
		(void)key_of(&r, changed);                                                         \
		tap_ok(strcmp(key, changed) != 0, "the key depends on %s", what);                  \
	} while (0)
	DIFFERS("a macro", replace(&r.defines[3].value, "17"));
	DIFFERS("the entry", replace(&r.entry, "sub"));
	DIFFERS("the architecture", replace(&r.arch, "other"));
	DIFFERS("flags", build_request_add_flag(&r, "-g"));
	DIFFERS("the source", strcpy(strrchr(r.source, '/'), "/broken.c"));
	DIFFERS("types of arguments", r.arguments[2].type = DTYPE_I32);
	DIFFERS("what is shared", r.shared = true);
	request_init(&r, "nowhere.c", "16");
	tap_int(key_of(&r, changed), ASC_NOTFOUND, "a missing source is an error");
	request_init(&r, "accepted.c", "16");
	build_request_define(&r, "a-b", "1");
	tap_int(key_of(&r, changed), ASC_INPUT, "a macro that is no identifier is an error");
	request_init(&r, "accepted.c", "16");
	for (int i = 0; i < BUILD_MAX_DEFINES; i++)
		build_request_define(&r, "A", "1");
	tap_int(key_of(&r, changed), ASC_LIMIT, "too many macros are an error");
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
		tap_ok(!is_built(&done) && !done.timeout && !done.trouble && !done.artifact.path,
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
	tap_int(pool_submit(p, 1, builder_find("cc"), &r, &e), ASC_INPUT,
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
		(void)pool_submit(p, i, builder_find("cc"), &r, &e);
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

static void test_two_pools(void)
{
	struct build_request r;
	struct pool *p[2] = {open_pool(1, LIMIT_NS), open_pool(1, LIMIT_NS)};
	struct pool_done done[2] = {0};
	struct asc_err e;

	for (int i = 0; i < 2; i++) {
		request_init(&r, "accepted.c", "16");
		replace(&r.arch, "two pools");
		(void)pool_submit(p[i], 1, builder_find("cc"), &r, &e);
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

static void test_timeout(void)
{
	struct build_request r;
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
	request_init(&r, "accepted.c", "16");
	build_request(&r, 1000000000, &done);
	tap_ok(!is_built(&done) && done.timeout && !done.trouble, "an endless compiler is stopped");
	tap_str(done.reason, "the compiler took longer than 1 s", "with a reason");
	tap_str(done.log, "in C\n", "after it has spoken in the language that we read");
	pool_done_fini(&done);
	tap_int(count_leftovers(), 0, "what it has left in TMPDIR is gone");

	struct pool *p = open_pool(1, LIMIT_NS);
	(void)submit(p, 1, "accepted.c", &e);
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
	struct asc_err e;
	struct pool *p = open_pool(1, LIMIT_NS);

	unsetenv("CC");
	setenv("PATH", scratch, 1);
	tap_ok(!builder_find("cc")->check(reason, sizeof reason), "without a compiler");
	tap_str(reason, "no C compiler in PATH (looked for cc, gcc, clang)", "the reason says so");
	tap_int(submit(p, 1, "accepted.c", &e), ASC_ABSENT, "nothing is built");
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
	struct build_request r;
	struct pool *p = open_pool(1, LIMIT_NS);

	request_init(&r, "accepted.c", "16");
	replace(&r.arch, arch);
	getrlimit(RLIMIT_FSIZE, &old);
	tight = (struct rlimit){.rlim_cur = bytes, .rlim_max = old.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &tight);
	enum asc_status s = pool_submit(p, 1, builder_find("cc"), &r, &e);
	bool taken = s == ASC_OK && pool_take(p, -1, &done);
	setrlimit(RLIMIT_FSIZE, &old);
	tap_ok(taken && !is_built(&done) && done.trouble == ASC_FULL, "no room for %s: %s", arch,
	       done.reason ? done.reason : "");
	pool_done_fini(&done);
	request_init(&r, "accepted.c", "16");
	replace(&r.arch, arch);
	if (pool_submit(p, 2, builder_find("cc"), &r, &e) == ASC_OK)
		tap_ok(pool_take(p, -1, &done) && is_built(&done) && !done.cached,
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
		{"collect2: fatal error: ld terminated with signal 9 [Killed]\n"
		 "compilation terminated.\n",
		 ASC_CHILD},
		{"clang: error: unable to execute command: Killed\n", ASC_CHILD},
		{"error: NVRTC cannot compile: NVRTC_ERROR_OUT_OF_MEMORY\n", ASC_NOMEM},
	};
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		tap_int(outcome_trouble(signs[i].log, 1 << 8), signs[i].trouble, "sign %zu", i);
	tap_int(outcome_trouble("error: No such thing", 1 << 8), ASC_OK, "an error is one");
	tap_int(outcome_trouble("", 9), ASC_CHILD, "a killed compiler is none");
	tap_int(outcome_trouble("Cannot create temporary file in /tmp/: No space left on device\n",
				6),
		ASC_FULL, "a compiler that a full disk has ended says so");
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

int main(void)
{
	setenv("LC_ALL", "de_DE.UTF-8", 1); /* where it is installed, compilers speak German */
	if (!tap_ok(prepare(), "a temporary folder"))
		return tap_done();
	test_outcome();
	test_pool_options();
	test_cache();
	test_rebuild();
	test_truncated();
	test_list();
	test_leftovers();
	test_key();
	test_refused();
	test_remembered();
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

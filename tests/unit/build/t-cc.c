/* Kernels in C: keys, headers that the compiler alone finds, kernels that are refused, and
 * compilers that are slow, odd or missing.
 * covers: cc.c cc_wrapper.c manifest.c builder.c */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/tap.h"
#include "tests/unit/build/build_fixture.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"
#include "tuner/workload/sources/sources.h"

/* Ends the request. */
static enum asc_status key_of(struct build_request *r, char key[HASH_TEXT_SIZE])
{
	struct asc_err e;
	struct hash h;

	hash_init(&h);
	builder_hash(builder_find("cc", NULL), r, &h);
	build_request_fini(r);
	return hash_end(&h, key, &e);
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
	request_init(&r, "accepted.c", "16");
	build_request_add_flag(&r, "-Ihere");
	tap_int(key_of(&r, key), ASC_OK, "a key with a folder");
	request_init(&r, "accepted.c", "16");
	build_request_add_flag(&r, "-Ithere");
	build_request_key_flag(&r, "-Ihere");
	tap_int(key_of(&r, changed), ASC_OK, "one of a copy elsewhere");
	tap_str(changed, key, "a flag has the text that it is keyed by");
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

/* A copy of a tree finds what the first one built, though that is gone; a header of the copy that
 * differs is found where it is in the copy. */
static void test_copy(void)
{
	static const char source[] =
		"#include \"../copied.h\"\n#include <stdint.h>\n"
		"static void add(float *o, const float *i, int64_t n, int64_t x)\n"
		"{\n\tfor (int64_t k = 0; k < n; k++)\n\t\to[k] = i[k] + AMOUNT + (float)x;\n}\n";
	static const char *const trees[] = {"first", "second", "second"};
	const size_t before = count_lines("compiled");
	struct pool_done done[3];

	for (size_t i = 0; i < 3; i++) {
		char *folder = str_print("%s/%s/k", scratch, trees[i]);
		char *header = str_print("%s/copied.h", trees[i]),
		     *name = str_print("%s/k/copied.c", trees[i]);
		struct asc_err e;

		if (i == 1) {
			char *gone = path_join(scratch, "first");

			dir_remove(gone);
			free(gone);
		}
		tap_int(dir_make(folder, &e), ASC_OK, "the folder of a tree");
		put(name, source, 0600);
		put(header, i < 2 ? "#define AMOUNT 3\n" : "#define AMOUNT 4\n", 0600);
		sources_watch();
		build(name, &done[i]);
		free(folder);
		free(header);
		free(name);
	}
	tap_ok(is_built(&done[0]) && !done[0].cached, "a tree is built");
	tap_ok(is_built(&done[1]) && done[1].cached, "a copy of it is not, the first being gone");
	tap_str(done[1].artifact.key, done[0].artifact.key, "it has the same key");
	tap_ok(is_built(&done[2]) && !done[2].cached, "with another header it is");
	tap_int((long)(count_lines("compiled") - before), 2, "the compiler ran twice");
	for (size_t i = 0; i < 3; i++)
		pool_done_fini(&done[i]);
}

/* __FILE__ of source and headers, which a kernel that aborts prints, has no folder of this copy of
 * the source in it. */
static void test_names(void)
{
	struct pool_done done;

	put("part.h", "_Static_assert(sizeof __FILE__ == sizeof \"part.h\", \"of a header\");\n",
	    0600);
	put("named.c",
	    "#include <stdint.h>\n#include \"part.h\"\n"
	    "_Static_assert(sizeof __FILE__ == sizeof \"named.c\", \"of the source\");\n"
	    "static void add(float *o, const float *i, int64_t n, int64_t x)\n"
	    "{\n\tfor (int64_t k = 0; k < n; k++)\n\t\to[k] = i[k] + (float)x;\n}\n",
	    0600);
	build("named.c", &done);
	tap_ok(is_built(&done), "names of files: %s", done.log ? done.log : "");
	pool_done_fini(&done);
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
	tap_ok(builder_is_usable(builder_find("cc", NULL), reason, sizeof reason),
	       "an empty CC is none");
	char *words = str_print("%s  -pipe", script);
	setenv("CC", words, 1);
	build("accepted.c", &done);
	tap_int(done.trouble, ASC_CHILD, "a compiler that makes nothing is trouble of its own");
	pool_done_fini(&done);
	setenv("CC", "no-such-compiler -O1", 1);
	tap_ok(!builder_is_usable(builder_find("cc", NULL), reason, sizeof reason),
	       "a wrong CC is told");
	tap_str(reason, "CC=no-such-compiler -O1: there is no program no-such-compiler",
		"with its words");
	setenv("CC", "false", 1);
	tap_ok(!builder_is_usable(builder_find("cc", NULL), reason, sizeof reason),
	       "a CC that is no compiler is told");
	tap_has(reason, "--version exited with status 1", "with what it was asked");
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
	tap_ok(!builder_is_usable(builder_find("cc", NULL), reason, sizeof reason),
	       "without a compiler");
	tap_str(reason, "no C compiler in PATH (looked for cc, gcc, clang)", "the reason says so");
	tap_int(submit(p, 1, "accepted.c", &e), ASC_ABSENT, "nothing is built");
	setenv("PATH", path, 1);
	pool_close(p);
	free(path);
}

int main(void)
{
	setenv("LC_ALL", "de_DE.UTF-8", 1); /* where it is installed, compilers speak German */
	if (!tap_ok(fixture_init(), "a temporary folder"))
		return tap_done();
	test_key();
	test_list();
	test_copy();
	test_names();
	test_refused();
	test_timeout();
	test_bad_compilers();
	test_no_compiler();
	fixture_fini();
	return tap_done();
}

/* Modules that Triton kernels stand in: imported, edited, installed, and with code that goes wrong;
 * no kernel or module ends more than its own build.
 * covers: triton_kernel.c triton.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/build/folder.h"
#include "tests/unit/build/triton_fixture.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/builder.h"
#include "tuner/build/cache.h"
#include "tuner/build/pool.h"
#include "tuner/build/triton_kernel.h"
#include "tuner/build/triton_python.h"

#define SECOND INT64_C(1000000000)

/* ---- imports ---- */

static void check_lookup(const char *source, const char *entry, enum asc_status want,
			 const char *words)
{
	struct build_request r;
	const char *digest;
	struct asc_err e = {0};

	begin(&r, source, entry, "sm_90a");
	tap_int(builder_triton.digest(&r, &digest, &e), want, "%s: its digest is asked", source);
	tap_has(e.text, words, "%s: the reason is told", source);
	build_request_fini(&r);
}

static void test_imports(void)
{
	const struct triton_python *python;
	struct build_request r;
	const char *digest;
	struct asc_err e = {0};

	check_lookup("kernels.py", "scales", ASC_INPUT,
		     "no kernel \"scales\" (did you mean \"scale\"?)");
	check_lookup("kernels.py", "plain", ASC_INPUT, "has no kernel \"plain\"");
	check_lookup("exits.py", "f", ASC_ABSENT, "SystemExit: 3");
	check_lookup("leaves.py", "f", ASC_ABSENT, "exited with status 7");
	check_lookup("raises.py", "f", ASC_ABSENT, "No module named 'no_such_module'");
	check_lookup("syntax.py", "f", ASC_ABSENT, "SyntaxError");
	check_lookup("no.such_package:f", "f", ASC_ABSENT, "No module named 'no'");
	begin(&r, "hangs.py", "f", "sm_90a");
	tap_int(triton_python_get(TRITON_CUDA, &python, &e), ASC_OK, "an interpreter: %s", e.text);
	tap_int(triton_kernel_check(python, &r, "null", 2 * SECOND, &e), ASC_ABSENT,
		"a module that hangs as it is imported cannot be used");
	tap_has(e.text, "hangs.py cannot be imported: that takes longer than 2",
		"the reason says so");
	build_request_fini(&r);
	begin(&r, "prints.py", "scale", "sm_90a");
	tap_int(builder_triton.digest(&r, &digest, &e), ASC_OK, "a module may print a lot");
	build_request_fini(&r);
	begin(&r, "settles.py", "scale", "sm_90a");
	tap_int(builder_triton.digest(&r, &digest, &e), ASC_OK,
		"a module has a home folder to write to, and locks: %s", e.text);
	build_request_fini(&r);
	begin(&r, "forks.py", "scale", "sm_90a");
	tap_int(builder_triton.digest(&r, &digest, &e), ASC_OK, "a module may fork");
	build_request_fini(&r);
}

/* ---- modules beside each other ---- */

/* Writes the digest of what scale() of a file becomes for `n`. */
static void make(const char *source, int64_t n, char digest[ARTIFACT_DIGEST_SIZE])
{
	struct pool_done done;
	struct build_request r;

	begin_scale(&r, source, "scale", "sm_90a", n);
	done = build(&r);
	tap_ok(is_built(&done), "%s is built", source);
	(void)snprintf(digest, ARTIFACT_DIGEST_SIZE, "%s", done.artifact.digest);
	pool_done_fini(&done);
}

/* One process compiles a module that changes its compiler, and then another. */
static void test_beside(void)
{
	char alone[ARTIFACT_DIGEST_SIZE], changed[ARTIFACT_DIGEST_SIZE],
		beside[ARTIFACT_DIGEST_SIZE];
	struct asc_err e = {0};

	if (!reopen_pool(1, 120 * SECOND) || !tap_int(pool_rebuild(pool, &e), ASC_OK, "anew"))
		return;
	make("kernels.py", 5, alone);
	if (!reopen_pool(1, 120 * SECOND) || !tap_int(pool_rebuild(pool, &e), ASC_OK, "anew"))
		return;
	make("kernels.py", 16, beside); /* the sandbox of the next process has both files */
	make("patches.py", 5, changed);
	make("kernels.py", 5, beside);
	tap_ok(strcmp(changed, alone) != 0, "a module changes what its own kernel becomes");
	tap_str(beside, alone, "it does not change another's");
	(void)reopen_pool(2, 120 * SECOND);
}

/* ---- builds that go wrong ---- */

static struct pool_done build_sick(const char *entry)
{
	struct build_request r;

	begin_scale(&r, "sick.py", entry, "sm_90a", 1);
	return build(&r);
}

static void check_trouble(const char *entry, const char *words)
{
	struct pool_done done = build_sick(entry);

	tap_int(done.artifact.outcome, ARTIFACT_NONE, "%s: nothing is built", entry);
	tap_int(done.trouble, ASC_CHILD, "%s: it is trouble of the compiler's", entry);
	tap_has(done.reason ? done.reason : "", words, "%s: its reason", entry);
	pool_done_fini(&done);
}

static void test_sick(void)
{
	check_trouble("aborting", "SIGABRT");
	check_trouble("leaving", "exited with status 3");
	struct pool_done done = build_sick("raising");
	tap_int(done.artifact.outcome, ARTIFACT_REFUSED, "a compile that exits is refused");
	pool_done_fini(&done);
	done = build_sick("noisy");
	tap_int(done.artifact.outcome, ARTIFACT_REFUSED,
		"a compile that prints 10 MB has its verdict");
	tap_ok(done.log && strlen(done.log) <= CACHE_LOG_BYTES, "what it prints is cut");
	pool_done_fini(&done);
	done = build_sick("forking");
	tap_ok(is_built(&done), "a compile may fork");
	pool_done_fini(&done);
	if (!reopen_pool(1, 3 * SECOND))
		return;
	done = build_sick("hanging");
	tap_ok(done.timeout, "a compile that never ends is a time-out");
	pool_done_fini(&done);
	struct build_request r;
	begin_scale(&r, "kernels.py", "scale", "sm_90a", 1);
	done = build(&r);
	tap_ok(is_built(&done), "other builds go on");
	pool_done_fini(&done);
}

/* ---- edits ---- */

/* Writes a Python file into the folder; takes `text`. */
static void write_python(const char *name, char *text)
{
	struct asc_err e = {0};

	tap_int(file_write(in_folder(name), text, strlen(text), &e), ASC_OK, "%s is written: %s",
		name, e.text);
	free(text);
}

static void write_kernel(const char *factor)
{
	write_python("edited.py",
		     str_print("import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef "
			       "scale(x, y, n, s, "
			       "WIDTH: tl.constexpr):\n    tl.store(y, tl.load(y) * s * %s)\n",
			       factor));
}

/* Key of the kernel scale() of a file in the folder. */
static const char *key_of_file(const char *name)
{
	struct build_request r;

	build_request_init(&r, in_folder(name), "scale", "sm_90a", NULL);
	return key(&r);
}

static void test_edits(void)
{
	struct build_request r;
	struct pool_done done = {0};
	struct asc_err e = {0};

	write_kernel("1.5");
	const char *first = key_of_file("edited.py");
	write_kernel("22.5");
	tap_ok(strcmp(key_of_file("edited.py"), first) != 0, "an edited kernel has another key");
	begin_scale(&r, in_folder("edited.py"), "scale", "sm_90a", 1);
	tap_int(pool_submit(pool, 1, &builder_triton, &r, &e), ASC_OK, "a build of it begins");
	write_kernel("333.5");
	if (tap_ok(pool_take(pool, -1, &done), "the build ends"))
		tap_int(done.trouble, ASC_INPUT,
			"a kernel that is edited as it is built is refused");
	tap_has(done.reason ? done.reason : "", "was changed while it was being tuned",
		"the reason says so");
	pool_done_fini(&done);
}

static void write_called(const char *factor)
{
	write_python("called_folder/part.py",
		     str_print("import triton\n\n\n@triton.jit\ndef twice(v):\n    return v * %s\n",
			       factor));
}

/* Edits of a function that the kernel calls as called_folder.part.twice(). */
static void test_called_edits(void)
{
	struct asc_err e = {0};

	write_python("caller.py",
		     str_dup("import called_folder.part\nimport triton\n"
			     "import triton.language as tl\n\n\n"
			     "@triton.jit\ndef scale(x, y, n, s, WIDTH: tl.constexpr):\n"
			     "    tl.store(y, called_folder.part.twice(tl.load(y)) * s)\n"));
	tap_int(dir_make(in_folder("called_folder"), &e), ASC_OK, "a package is made");
	write_called("2.5");
	const char *first = key_of_file("caller.py");
	write_called("33.5");
	tap_ok(strcmp(key_of_file("caller.py"), first) != 0,
	       "a kernel whose called function is edited has another key");
}

static void write_formula(const char *factor)
{
	write_python("around/triton/part.py",
		     str_print("import triton\n\n\n@triton.jit\ndef apply(FORMULA, v):\n"
			       "    return FORMULA(v) * %s\n",
			       factor));
}

static void write_passing(const char *factor)
{
	write_python("around/own/passing.py",
		     str_print("import triton\nimport triton.language as tl\n"
			       "from ..triton.part import apply\n\n\n@triton.jit\n"
			       "def formula(v):\n    return v * %s\n\n\n@triton.jit\n"
			       "def scale(x, y, n, s, WIDTH: tl.constexpr):\n"
			       "    tl.store(y, apply(formula, tl.load(y)) * s)\n",
			       factor));
}

/* A kernel that imports from the folder around its own, of a folder that has Triton's name, and
 * passes a function to what it calls. */
static void test_relative(void)
{
	static const char *const folders[] = {"around", "around/own", "around/triton"};
	struct asc_err e = {0};
	struct build_request r;

	for (size_t i = 0; i < 3; i++)
		tap_int(dir_make(in_folder(folders[i]), &e), ASC_OK, "%s is made", folders[i]);
	write_formula("2.5");
	write_passing("1.5");
	begin_scale(&r, in_folder("around/own/passing.py"), "scale", "sm_90a", 100);
	check_parameters("a relative import", &r, "\"entry\":\"scale\"");
	const char *first = key_of_file("around/own/passing.py");

	write_formula("33.5");
	const char *second = key_of_file("around/own/passing.py");

	tap_ok(strcmp(first, second) != 0, "what a relative import brings is a part of the key");
	write_passing("444.5");
	tap_ok(strcmp(second, key_of_file("around/own/passing.py")) != 0,
	       "so is a function that is passed on");
}

/* A module with a function as a constant, which has another address where the module has made more
 * objects before it. */
static char *digest_beside(const char *file, const char *objects)
{
	struct build_request r;
	const char *digest = "";
	struct asc_err e = {0};

	write_python(file, str_print("import triton\nimport triton.language as tl\n"
				     "NOISE = %s\n\n\ndef pick(t):\n    return tl.float32\n\n\n"
				     "PICK = tl.constexpr(pick)\n\n\n@triton.jit\n"
				     "def scale(x, y, n, s, WIDTH: tl.constexpr):\n"
				     "    t: tl.constexpr = PICK(tl.float16)\n"
				     "    tl.store(y, tl.load(y).to(t) * s)\n",
				     objects));
	build_request_init(&r, in_folder(file), "scale", "sm_90a", NULL);
	tap_int(builder_triton.digest(&r, &digest, &e), ASC_OK, "a function as a constant: %s",
		e.text);
	char *copy = str_dup(digest);
	build_request_fini(&r);
	return copy;
}

static void test_addresses(void)
{
	char *first = digest_beside("few.py", "0");
	char *second = digest_beside("many.py", "[lambda: i for i in range(1000)]");

	tap_str(second, first, "the address of a function is no part of what a kernel is");
	free(first);
	free(second);
}

/* ---- installed kernels ---- */

static void test_module(void)
{
	struct build_request r;

	begin_scale(&r, "kernels:scale", "scale", "sm_80", 33);
	check_parameters("a kernel of a module", &r, "\"entry\":\"scale\"");
}

int main(void)
{
	if (fixture_init()) {
		setenv("PYTHONPATH", TEST_DATA "/data/triton", 1); /* where test_module() looks */
		test_imports();
		test_edits();
		test_called_edits();
		test_relative();
		test_addresses();
		test_module();
		test_beside();
		test_sick();
		fixture_fini();
	}
	return tap_done();
}

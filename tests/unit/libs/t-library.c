/* Libraries opened at run time, with a library that every process has: libm.
 * covers: library.c */
#include "tuner/device/libs/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

struct table {
	double (*cosine)(double);
};

static const struct library_symbol symbols[] = {{"cos", offsetof(struct table, cosine), false},
						{0}};
static const char *const files[] = {"libnothing.so.7", "libm.so.6", NULL};
static const char *const missing[] = {"libnothing.so.7", "libnothing.so.6", NULL};
static int before, begun;
static struct asc_err e;

static void count_before(void)
{
	before++;
}

static enum asc_status begin(struct asc_err *out)
{
	begun++;
	return begun == 1 ? ASC_OK : asc_err_set(out, ASC_ABSENT, "begun twice");
}

static enum asc_status refuse(struct asc_err *out)
{
	begun++;
	return asc_err_set(out, ASC_ABSENT, "version %d is too old", 3);
}

static void test_once(void)
{
	struct table t = {0};
	struct library l = {.files = files,
			    .symbols = symbols,
			    .table = &t,
			    .before = count_before,
			    .begin = begin};

	for (int i = 0; i < 2; i++)
		tap_int(library_once(&l, &e), ASC_OK, "call %d: the second name is found", i);
	tap_ok(t.cosine && t.cosine(0) == 1, "its function is called");
	tap_int(before, 1, "`before` is called once");
	tap_int(begun, 1, "`begin` is called once");
	tap_ok(library_check(&l, NULL, 0), "a check of a usable library passes");
}

static void test_missing(void)
{
	struct table t = {0};
	struct library l = {.variable = "T_LIBRARY",
			    .files = missing,
			    .advice = " (install it)",
			    .symbols = symbols,
			    .table = &t};
	struct library named = l, found = l;
	char reason[300];

	(void)unsetenv("T_LIBRARY");
	tap_int(library_once(&l, &e), ASC_ABSENT, "no name is found");
	tap_has(e.text, "libnothing.so.7", "the failure names the first file");
	tap_has(e.text, "(install it)", "the failure ends with the advice");
	(void)setenv("T_LIBRARY", "/missing/lib.so", 1);
	tap_ok(!library_check(&named, reason, sizeof reason), "a file that is named is missing");
	tap_has(reason, "/missing/lib.so", "the reason names that file");
	tap_ok(!strstr(reason, "(install it)"), "the reason has no advice");
	(void)setenv("T_LIBRARY", "libm.so.6", 1);
	tap_int(library_once(&l, &e), ASC_ABSENT, "what failed once is not tried again");
	tap_int(library_once(&found, &e), ASC_OK, "the file that is named is opened");
}

static void test_refused(void)
{
	struct table t = {0};
	struct library l = {.files = files, .symbols = symbols, .table = &t, .begin = refuse};

	begun = 0;
	tap_int(library_once(&l, &e), ASC_ABSENT, "a library that `begin` refuses is absent");
	tap_str(e.text, "version 3 is too old", "the failure is in the words of `begin`");
	e = (struct asc_err){0};
	tap_int(library_once(&l, &e), ASC_ABSENT, "the second caller is refused, too");
	tap_str(e.text, "version 3 is too old", "the second caller gets the same words");
	tap_int(begun, 1, "`begin` is not asked again");
}

/* $CUDA_HOME, $CUDA_PATH, then the usual place. */
static void test_toolkit(void)
{
	char folder[300], path[400];

	const char *base = getenv("TMPDIR");

	snprintf(folder, sizeof folder, "%s/toolkit-XXXXXX", base && *base ? base : "/tmp");
	if (!tap_ok(mkdtemp(folder), "a folder"))
		return;
	(void)setenv("CUDA_HOME", folder, 1);
	(void)setenv("CUDA_PATH", "", 1);
	char *lib = NULL, *usual = NULL, *none = NULL, *found = NULL;

	tap_ok(!toolkit_folder(&toolkit_cuda, 0, "lib64", &lib, &e) &&
		       !toolkit_folder(&toolkit_cuda, 1, "lib64", &none, &e) &&
		       !toolkit_folder(&toolkit_cuda, 2, "lib64", &usual, &e),
	       "places are asked for");
	snprintf(path, sizeof path, "%s/lib64", folder);
	tap_str(lib ? lib : "", path, "the folder that the environment names");
	tap_str(usual ? usual : "", "/usr/local/cuda/lib64", "the usual folder");
	tap_ok(!none, "a variable that is empty names none");
	free(lib);
	free(usual);
	snprintf(path, sizeof path, "%s/include/cuda_fp16.h", folder);
	tap_int(toolkit_include("/no/lib64/libnvrtc.so", &found, &e), ASC_OK,
		"headers are asked for");
	tap_ok(!found || file_exists("/usr/local/cuda/include/cuda_fp16.h"),
	       "without the file there are no headers");
	free(found);
	char *include = path_folder(path);
	tap_ok(!dir_make(include, &e) && !file_write(path, "", 0, &e), "a header is made");
	tap_int(toolkit_include("/no/lib64/libnvrtc.so", &found, &e), ASC_OK,
		"and asked for again");
	tap_str(found ? found : "", include, "headers of the toolkit that is named");
	free(found);
	free(include);
	dir_remove(folder);
}

/* A folder that the environment names is the only one, and a file there that lacks a function says
 * more than one that is not there. */
static void test_named_folder(void)
{
	static const struct library_symbol none[] = {{"no_such_function", 0, false}, {0}};
	static const char *const places[] = {"$T_PLACE", NULL};
	static const struct toolkit toolkit = {"T_FOLDER", places};
	struct table t = {0};
	struct library l = {.files = files, .toolkit = &toolkit, .symbols = symbols, .table = &t};
	struct library half = {.files = files, .toolkit = &toolkit, .symbols = none, .table = &t};
	const char *base = getenv("TMPDIR");
	char folder[300], path[400];
	Dl_info real;

	snprintf(folder, sizeof folder, "%s/named-XXXXXX", base && *base ? base : "/tmp");
	if (!tap_ok(mkdtemp(folder), "a folder"))
		return;
	(void)setenv("T_FOLDER", folder, 1);
	snprintf(path, sizeof path, "%s/lib64/libm.so.6", folder);
	tap_int(library_once(&l, &e), ASC_ABSENT,
		"a folder without the library, which the "
		"loader would find");
	tap_has(e.text, "lib64/libnothing.so.7", "the failure names the first file in the folder");
	char *lib = path_folder(path);
	tap_ok(dladdr(dlsym(dlopen("libm.so.6", RTLD_NOW), "cos"), &real) != 0 &&
		       !dir_make(lib, &e) && symlink(real.dli_fname, path) == 0,
	       "a library is made");
	tap_int(library_once(&half, &e), ASC_ABSENT, "a library without the function");
	if (!tap_skip_emulated("its libraries lie elsewhere than the loader says"))
		tap_has(e.text, "lib64/libm.so.6: has no function no_such_function",
			"the failure names the file that is there");
	(void)unsetenv("T_FOLDER");
	free(lib);
	dir_remove(folder);
}

static void test_examine(void)
{
	static const struct library_symbol some[] = {
		{"cos", 0, false}, {"no_such_function", 0, false}, {"nor_this_one", 0, true}, {0}};
	struct buf lacks = {0};

	tap_int(library_examine("libm.so.6", some, &lacks, &e), ASC_OK, "a library is looked at");
	tap_str(buf_str(&lacks), "no_such_function, (nor_this_one)", "what it lacks is named");
	tap_int(library_examine("libnothing.so.7", some, &lacks, &e), ASC_ABSENT,
		"one that is not there");
	tap_has(e.text, "libnothing.so.7", "is named");
	buf_fini(&lacks);
}

/* A library that the process has loaded goes before files, under whatever name it was brought. */
static void test_loaded(void)
{
	struct table t = {0};
	struct library l = {.loaded = "libm", .files = missing, .symbols = symbols, .table = &t};
	size_t n = 0;

	tap_ok(library_is("/usr/lib/libcupti.so.13", "libcupti"), "a version");
	tap_ok(library_is("/a/torch.libs/libcupti-1f2e3d4c.so.12", "libcupti"), "one of a wheel");
	tap_ok(library_is("libcupti.so", "libcupti"), "a file without a folder");
	tap_ok(!library_is("/usr/lib/libcuptiother.so", "libcupti"), "a longer name");
	tap_ok(!library_is("/libcupti.so/libm.so.6", "libcupti"), "a folder of that name");
	tap_ok(!library_is("/usr/lib/libcupti.a", "libcupti"), "no shared library");
	while (library_find_loaded("libm", n))
		n++;
	tap_int((int64_t)n, 1, "this process has one libm");
	tap_ok(library_is(library_find_loaded("libm", 0), "libm"), "which is found");
	tap_ok(!library_find_loaded("libnothing", 0), "what was not loaded is not");
	tap_int(library_once(&l, &e), ASC_OK, "it is opened where it lies");
	tap_ok(t.cosine && t.cosine(0) == 1, "and is usable");
}

static int call_cosine(void)
{
	struct table t = {0};
	struct library l = {.files = files, .symbols = symbols, .table = &t};

	return library_once(&l, &e) == ASC_OK ? (int)t.cosine(0) : -1;
}

/* In a process of its own, since libraries are preloaded as a program starts. */
static void test_preloaded(void)
{
	const pid_t child = fork();
	int status = -1;

	if (child == 0) {
		(void)setenv("LD_PRELOAD", FAKE_COSINE, 1);
		(void)setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
		(void)execl("/proc/self/exe", "t-library", "cosine", (char *)NULL);
		_exit(99);
	}
	(void)waitpid(child, &status, 0);
	tap_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 7, "what is preloaded goes first");
	tap_int(call_cosine(), 1, "without it the library's own function is called");
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "cosine") == 0)
		return call_cosine();
	test_examine();
	test_loaded();
	test_once();
	test_missing();
	test_refused();
	test_toolkit();
	test_named_folder();
	test_preloaded();
	return tap_done();
}

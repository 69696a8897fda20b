/* Triton kernels are compiled for named architectures by the Triton of $ASCTUNE_PYTHON, where there
 * is one; no GPU is needed. Each artifact comes with the facts that a launch needs.
 * covers: triton.c triton_kernel.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/build/triton_fixture.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"
#include "tuner/build/pool_build.h"
#include "tuner/build/triton_python.h"

static void pass_map(struct build_request *r, int64_t rows, int64_t columns)
{
	build_request_add(r, &(struct build_argument){.kind = BUILD_TENSOR_MAP,
						      .type = DTYPE_BF16,
						      .rank = 2,
						      .box = {rows, columns}});
}

static void check_refused(struct build_request *r, const char *words)
{
	struct pool_done done = build(r);

	tap_ok(done.artifact.outcome == ARTIFACT_REFUSED, "%s: a refusal", words);
	tap_has(done.reason ? done.reason : "", words, "its reason says so");
	pool_done_fini(&done);
}

/* ---- artifacts and keys ---- */

/* Checks for an ELF file of machine 190, NVIDIA CUDA (binutils, include/elf/common.h: EM_CUDA). */
static void check_cubin(const char *path, const char *arch)
{
	struct buf file = {0};
	struct asc_err e;

	if (file_read(path, 0, &file, &e))
		tap_ok(false, "%s", e.text);
	else
		tap_ok(file.len > 64 && memcmp(file.data, "\177ELF", 4) == 0 &&
			       (unsigned char)file.data[18] == 190,
		       "%s: the artifact is an ELF file of a GPU", arch);
	buf_fini(&file);
}

static void test_artifact(const char *arch)
{
	struct build_request r;

	begin_scale(&r, "kernels.py", "scale", arch, 100);
	build_request_define(&r, "num_warps", "8");
	struct pool_done first = build(&r);
	if (tap_ok(is_built(&first), "%s: a kernel is compiled without a GPU", arch))
		check_cubin(first.artifact.path, arch);
	tap_has(metadata(&first), "\"entry\":\"scale\",\"threads\":256,\"shared\":0",
		"%s: entry, threads and shared memory are told", arch);
	tap_has(metadata(&first),
		"\"parameters\":[{\"argument\":0},{\"argument\":1},"
		"{\"argument\":2,\"type\":\"i32\"},{\"argument\":3,\"type\":\"f32\"},"
		"{\"scratch\":true}",
		"%s: parameters are told in their order", arch);
	tap_has(metadata(&first), "\"num_warps\":8", "%s: options that took effect are told", arch);
	begin_scale(&r, "kernels.py", "scale", arch, 100);
	build_request_define(&r, "num_warps", "8");
	build_request_define(&r, "multibuffer", "false");
	build_request_define(&r, "sync_solver", "true");
	struct pool_done both = build(&r);
	tap_str(both.artifact.digest, first.artifact.digest, "%s: options of NPUs change nothing",
		arch);
	pool_done_fini(&both);
	begin_scale(&r, "kernels.py", "scale", arch, 500 + 2);
	build_request_define(&r, "num_warps", "8");
	struct pool_done again = build(&r);
	tap_ok(again.cached, "%s: another number of the same class is the same artifact", arch);
	tap_str(metadata(&again), metadata(&first), "%s: its metadata is found with it", arch);
	pool_done_fini(&again);
	pool_done_fini(&first);
}

static const char *key_of(const char *arch, int64_t n, const char *name, const char *value)
{
	struct build_request r;

	begin_scale(&r, "kernels.py", "scale", arch, n);
	build_request_define(&r, name, value);
	return key(&r);
}

static void test_keys(void)
{
	const char *first = key_of("sm_90a", 48, "num_stages", "3");

	tap_str(key_of("sm_90a", 0, "num_stages", "3"), first, "0 is of the class of 48");
	tap_ok(strcmp(key_of("sm_90a", 1, "num_stages", "3"), first) != 0, "1 is another class");
	tap_ok(strcmp(key_of("sm_90a", 50, "num_stages", "3"), first) != 0, "50 is another class");
	tap_ok(strcmp(key_of("sm_90a", INT64_C(1) << 33, "num_stages", "3"), first) != 0,
	       "what needs 64 bits is another class");
	tap_ok(strcmp(key_of("sm_90a", 48, "num_stages", "2"), first) != 0,
	       "another option makes another key");
	tap_ok(strcmp(key_of("sm_80", 48, "num_stages", "3"), first) != 0,
	       "another architecture makes another key");
}

/* A stranger's module runs when it is looked at: whatever digest it has itself, its key is its own,
 * of its bytes. */
static void test_stranger(void)
{
	struct build_request r;

	begin_scale(&r, "kernels.py", "scale", "sm_90a", 48);
	const char *trusted = key(&r);
	begin_scale(&r, "kernels.py", "scale", "sm_90a", 48);
	build_request_confine(&r, TEST_DATA "/data/triton");
	const char *stranger = key(&r);

	tap_ok(strcmp(stranger, trusted) != 0, "a stranger's kernel has a key of its own");
	begin_scale(&r, "patches.py", "scale", "sm_90a", 48);
	build_request_confine(&r, TEST_DATA "/data/triton");
	tap_ok(strcmp(key(&r), stranger) != 0, "another stranger's has another");
	begin_scale(&r, "kernels.py", "scale", "sm_90a", 48);
	build_request_confine(&r, TEST_DATA "/data/triton");
	struct pool_done done = build(&r);

	tap_ok(is_built(&done), "it is built: %s", done.reason ? done.reason : "");
	pool_done_fini(&done);
	begin_scale(&r, "kernels.py", "scale", "sm_90a", 48);
	tap_str(key(&r), trusted, "the trusted one's is as it was");
}

/* ---- forms of parameters: the rows of Triton's specialisation ---- */

static void begin_forms(struct build_request *r, int64_t plain)
{
	begin(r, "kernels.py", "forms", "sm_80");
	pass(r, BUILD_TENSOR, DTYPE_F32, 0);
	pass(r, BUILD_SCALAR, DTYPE_I32, 1); /* not specialised */
	pass(r, BUILD_SCALAR, DTYPE_I32, 32);
	pass(r, BUILD_SCALAR, DTYPE_I32, plain);
	pass(r, BUILD_SCALAR, DTYPE_I32, 1); /* annotated tl.int64 */
	pass(r, BUILD_SCALAR, DTYPE_F32, 0); /* annotated tl.float64 */
	pass(r, BUILD_SCALAR, DTYPE_BOOL, 1);
}

static void test_forms(void)
{
	struct build_request r;

	begin_forms(&r, 1);
	check_parameters("1", &r,
			 "[{\"argument\":0},{\"argument\":1,\"type\":\"i32\"},"
			 "{\"argument\":2,\"type\":\"i32\"},{\"argument\":4,\"type\":\"i64\"},"
			 "{\"argument\":5,\"type\":\"f64\"},{\"argument\":6,\"type\":\"bool\"}");
	begin_forms(&r, INT64_C(1) << 40);
	check_parameters("2^40", &r, "{\"argument\":3,\"type\":\"i64\"}");
	begin_forms(&r, -7);
	check_parameters("-7", &r, "{\"argument\":3,\"type\":\"i32\"}");
	begin_scale(&r, "kernels.py", "tuned", "sm_80", 64);
	build_request_define(&r, "EVEN", "true");
	check_parameters("a kernel under decorators", &r, "\"entry\":\"tuned\"");
}

static void begin_biased(struct build_request *r, bool absent)
{
	begin(r, "kernels.py", "biased", "sm_80");
	pass(r, BUILD_TENSOR, DTYPE_F16, 0);
	build_request_add(r, &(struct build_argument){
				     .kind = BUILD_TENSOR, .type = DTYPE_F32, .absent = absent});
	pass(r, BUILD_TENSOR, DTYPE_F32, 0);
	pass(r, BUILD_SCALAR, DTYPE_I32, 77);
	build_request_define(r, "WIDTH", "64");
	build_request_define(r, "KIND", "\"plain\"");
	build_request_define(r, "TYPE", "{\"dtype\":\"f32\"}");
	build_request_define(r, "HALVED", "true");
	build_request_define(r, "MASK", "null");
}

static void test_constants(void)
{
	struct build_request r;

	begin_biased(&r, false);
	check_parameters("constants of all kinds", &r, "[{\"argument\":0},{\"argument\":1},");
	begin_biased(&r, true);
	check_parameters("an absent tensor", &r,
			 "[{\"argument\":0},{\"argument\":2},{\"argument\":3,\"type\":\"i32\"}");
}

/* ---- descriptors, scratch memory, clusters ---- */

static void begin_copied(struct build_request *r, const char *arch)
{
	begin(r, "kernels.py", "copied", arch);
	pass_map(r, 1, 64);
	pass(r, BUILD_TENSOR, DTYPE_BF16, 0);
	pass(r, BUILD_SCALAR, DTYPE_I32, 100);
	build_request_define(r, "WIDTH", "64");
}

#define EXTENTS(type)                                                                              \
	"{\"size\":0,\"axis\":0,\"type\":\"" type "\"},{\"size\":0,\"axis\":1,\"type\":\"" type    \
	"\"},{\"stride\":0,\"axis\":0,\"type\":\"i64\"},{\"stride\":0,\"axis\":1,\"type\":"        \
	"\"i64\"}"

static void test_descriptors(void)
{
	struct build_request r;

	begin_copied(&r, "sm_90a");
	check_parameters("a tensor map", &r,
			 "[{\"descriptor\":0,\"box\":[1,64],\"swizzle\":\"none\"}," EXTENTS("i32"));
	begin_copied(&r, "sm_80");
	check_parameters("a lowered descriptor", &r, "[{\"argument\":0}," EXTENTS("i64"));
	begin(&r, "kernels.py", "described", "sm_90a");
	pass(&r, BUILD_TENSOR, DTYPE_F16, 0);
	pass(&r, BUILD_TENSOR, DTYPE_F16, 0);
	pass(&r, BUILD_SCALAR, DTYPE_I32, 512);
	build_request_define(&r, "WIDTH", "64");
	check_parameters("scratch memory", &r, "\"scratch\":{\"bytes\":256,\"align\":128}");
}

static void begin_product(struct build_request *r, const char *block, const char *option,
			  const char *value)
{
	begin(r, "kernels.py", "product", "sm_90a");
	for (int i = 0; i < 3; i++)
		pass(r, BUILD_TENSOR, DTYPE_F16, 0);
	for (int i = 0; i < 3; i++)
		pass(r, BUILD_SCALAR, DTYPE_I32, 4096);
	build_request_define(r, "BLOCK", block);
	build_request_define(r, option, value);
}

static void test_options(void)
{
	struct build_request r;

	begin_product(&r, "64", "num_ctas", "2");
	check_parameters("a cluster of two", &r, "\"cluster\":[2,1,1],\"spread\":true");
	begin_product(&r, "64", "launch_pdl", "true");
	check_parameters("a programmatic launch", &r, "\"programmatic\":true");
	begin_product(&r, "128", "num_stages", "4");
	check_parameters("more than 48 KiB of shared memory", &r, "\"prefers_shared\":true");
	begin_product(&r, "32", "maxnreg", "0");
	check_parameters("no limit of registers", &r, "\"maxnreg\":null");
	begin_product(&r, "128", "num_stages", "4");
	r.shared_limit_bytes = 100 << 10;
	check_refused(&r, "bytes of shared memory and can have 102400");
	begin_product(&r, "64", "num_warps", "3");
	check_refused(&r, "num_warps is 3, expected a power of two");
	begin_product(&r, "64", "num_warps", "\"four\"");
	check_refused(&r, "num_warps is \"four\", expected a whole number");
	begin_product(&r, "64", "num_warps", "4.5");
	check_refused(&r, "num_warps is 4.5, expected a whole number");
	begin_product(&r, "64", "maxnreg", "-1");
	check_refused(&r, "maxnreg is -1, expected a whole number");
}

/* ---- what does not fit ---- */

static void test_mismatches(void)
{
	struct build_request r;

	begin_scale(&r, "kernels.py", "scale", "sm_90a", 1);
	build_request_define(&r, "WIDHT", "2");
	check_refused(&r, "scale() has no tl.constexpr \"WIDHT\" (did you mean \"WIDTH\"?)");
	begin_scale(&r, "kernels.py", "scale", "sm_90a", 1);
	build_request_define(&r, "n", "2");
	check_refused(&r, "scale() takes \"n\" as an argument, not as a tl.constexpr");
	begin_scale(&r, "kernels.py", "scale", "sm_90a", 1);
	pass(&r, BUILD_TENSOR, DTYPE_F16, 0);
	check_refused(&r, "the workload passes 5 arguments, scale() takes 4 (x, y, n, s)");
	begin_scale(&r, "kernels.py", "tuned", "sm_90a", 1);
	check_refused(&r,
		      "takes the tl.constexpr \"EVEN\", which is neither a build parameter nor");
	begin_scale(&r, "kernels.py", "asserting", "sm_90a", 1);
	check_refused(&r, "only one");
	begin_scale(&r, "kernels.py", "unknown", "sm_90a", 1);
	check_refused(&r, "no_such_name");
	begin_scale(&r, "kernels.py", "scale", "x86-64", 1);
	struct pool_done done = {0};
	struct asc_err e = {0};
	tap_int(pool_submit(pool, 1, &builder_triton, &r, &e), ASC_INPUT,
		"a CPU is no architecture of Triton's");
	pool_done_fini(&done);
}

/* The compiler's reason is told once, and without the lines around it. */
static void test_reasons(void)
{
	struct build_request r;

	begin_product(&r, "48", "num_warps", "4");
	struct pool_done done = build(&r);
	const char *reason = done.reason ? done.reason : "";
	const char *first = strstr(reason, "power of 2");
	tap_ok(first && !strstr(first + 1, "power of 2") && !strchr(reason, '^'),
	       "what the language refuses is told once: %s", reason);
	pool_done_fini(&done);
	begin_scale(&r, "kernels.py", "scale", "sm_999", 1);
	check_refused(&r, "fatal   : Value 'sm_999a'");
}

/* ---- interpreters ---- */

/* Names another interpreter; returns the setting before, heap, or NULL. */
static char *set_python(const char *path)
{
	const char *before = getenv(TRITON_PYTHON_VARIABLE);
	char *setting = before ? str_dup(before) : NULL;

	setenv(TRITON_PYTHON_VARIABLE, path, 1);
	return setting;
}

/* Puts the setting before back, and frees it. */
static void restore_python(char *setting)
{
	setting ? setenv(TRITON_PYTHON_VARIABLE, setting, 1) : unsetenv(TRITON_PYTHON_VARIABLE);
	free(setting);
}

/* Two interpreters of one toolchain: a link to the first beside it counts as another. */
static void test_two(void)
{
	const struct triton_python *python;
	struct build_request r;
	struct asc_err e = {0};

	if (triton_python_get(TRITON_CUDA, &python, &e))
		return;
	char *identity = str_dup(python->identity);
	char *other = str_print("%s/./%s", "/proc/self/root", python->interpreter.executable + 1);
	char *before = set_python(other);
	if (tap_int(triton_python_get(TRITON_CUDA, &python, &e), ASC_OK, "a second interpreter: %s",
		    e.text))
		tap_str(python->identity, identity, "its versions are those of the first");
	begin_scale(&r, "kernels.py", "scale", "sm_80", INT64_C(1) << 50);
	struct pool_done done = build(&r);
	tap_ok(is_built(&done), "the second interpreter builds beside the first");
	pool_done_fini(&done);
	restore_python(before);
	free(identity);
	free(other);
}

static void test_absence(void)
{
	char reason[300] = "";
	char *before = set_python("/nowhere/python3");
	struct buf identity = {0};
	struct asc_err e;

	tap_ok(!builder_is_usable(&builder_triton, reason, sizeof reason),
	       "without an interpreter the builder is not usable");
	tap_has(reason, "there is no program /nowhere/python3",
		"the reason names what was looked for");
	setenv(TRITON_PYTHON_VARIABLE, "/bin/true", 1);
	tap_int(builder_triton.toolchain(&identity, &e), ASC_ABSENT,
		"a program that is no interpreter is not usable");
	buf_fini(&identity);
	restore_python(before);
}

int main(void)
{
	test_absence();
	if (fixture_init()) {
		test_artifact("sm_80");
		test_artifact("sm_90a");
		test_artifact("sm_100a");
		test_keys();
		test_stranger();
		test_forms();
		test_constants();
		test_descriptors();
		test_options();
		test_mismatches();
		test_reasons();
		test_two();
		fixture_fini();
	}
	return tap_done();
}

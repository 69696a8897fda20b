/* The calls of CANN's operators, made to a fake of its libraries that is compiled here: what phase
 * one is given, the life of executors and descriptors, and what is refused. Memory of the device is
 * this process's.
 * covers: aclnn.c aclnn_operator.c vendor.c */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/compile.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/strides.h"
#include "tuner/device/device.h"
#include "tuner/device/libs/library.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/result/result.h"
#include "tuner/workload/binding/binding.h"

enum { ROWS = 2, COLUMNS = 3, N = ROWS * COLUMNS, TENSORS = 6, FLOATS = 16 };

static struct asc_err e;
static char folder[300];
static struct plan plan;

/* ---- a device in this process's memory ---- */

struct device_buffer {
	float data[FLOATS];
};

struct device_kernel {
	struct vendor_kernel *vendor;
};

static struct device_buffer buffers[2 * TENSORS];
static size_t allocated;
static int live;

static enum asc_status alloc(struct device *d, size_t bytes, struct device_buffer **out,
			     struct asc_err *error)
{
	(void)d, (void)error;
	*out = calloc(1, bytes + sizeof **out);
	allocated = bytes;
	live++;
	return ASC_OK;
}

static void release(struct device *d, struct device_buffer *b)
{
	(void)d;
	free(b);
	live--;
}

static void *address(const struct device_buffer *b)
{
	return b ? (void *)(uintptr_t)b->data : NULL;
}

static enum asc_status adopt(struct device *d, struct vendor_kernel *v, struct device_kernel **out,
			     struct asc_err *error)
{
	static struct device_kernel k;

	(void)d, (void)error;
	k.vendor = v;
	*out = &k;
	return ASC_OK;
}

static const struct device_info *info(const struct device *d)
{
	static const struct device_info queued = {.queues = true};

	(void)d;
	return &queued;
}

/* Has memory of the host, too, so that a tensor may lie there. */
static const struct device_ops device = {.name = "npu",
					 .info = info,
					 .alloc = alloc,
					 .alloc_host = alloc,
					 .release = release,
					 .address = address,
					 .adopt = adopt};

/* ---- plans ---- */

static struct bound_argument *add(enum argument_kind kind)
{
	struct bound_argument *a = &plan.arguments[plan.n_arguments++];

	*a = (struct bound_argument){.kind = kind};
	return a;
}

static struct bound_argument *add_tensor(size_t i, int64_t rows, int64_t columns, enum dtype type)
{
	struct bound_argument *a = add(ARG_TENSOR);

	a->tensor = i;
	a->type = type;
	a->rank = rows ? 2 : 1;
	a->shape[0] = rows ? rows : columns;
	a->shape[1] = rows ? columns : 0;
	strides_set(a->shape, a->rank, a->strides);
	return a;
}

static void add_number(enum dtype type, struct value v)
{
	struct bound_argument *a = add(ARG_SCALAR);

	a->type = type;
	a->scalar = v;
}

/* ---- the fake ---- */

static void *look(const char *name)
{
	char path[400];

	snprintf(path, sizeof path, "%s/lib64/libopapi.so", folder);
	void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);

	return handle ? dlsym(handle, name) : NULL;
}

static int look_count(const char *name)
{
	const int *n = look(name);

	return n ? *n : -1;
}

static void check_balance(void)
{
	tap_int(look_count("fake_live"), 0, "objects that were not freed");
	tap_int(look_count("fake_faults"), 0, "objects that were used or freed after that");
	tap_int(live, 0, "workspaces that were not released");
}

/* ---- calls ---- */

static struct vendor_kernel *load(const char *name)
{
	char source[40];
	struct vendor_kernel *v = NULL;
	struct device_kernel *k;

	snprintf(source, sizeof source, "aclnn:%s", name);
	tap_int(vendor_load(&device, NULL, source, name, &v, &k, &e), ASC_OK, "%s is loaded",
		source);
	return v;
}

/* Binds the plan to buffers from number `first` on, and launches so often. */
static enum asc_status run(struct vendor_kernel *v, size_t first, int launches)
{
	struct device_buffer *tensors[TENSORS], *scratch[PLAN_MAX_ARGUMENTS];

	for (size_t i = 0; i < TENSORS; i++)
		tensors[i] = &buffers[first + i];
	for (size_t i = 0; i < PLAN_MAX_ARGUMENTS; i++)
		scratch[i] = &buffers[first + TENSORS - 1];
	enum asc_status s = vendor_kernel_bind(v, &plan, tensors, scratch, NULL, &e);

	for (int i = 0; i < launches && s == ASC_OK; i++)
		s = vendor_kernel_launch(v, &e);
	return s;
}

static void fill(size_t i, float from)
{
	for (int k = 0; k < FLOATS; k++)
		buffers[i].data[k] = from + (float)k;
}

/* Runs once; what phase one was given. */
static void check_given(const char *name, const char *given)
{
	struct vendor_kernel *v = load(name);

	if (!v)
		return;
	tap_int(run(v, 0, 1), ASC_OK, "%s: %s", name, e.text);
	tap_str(look("fake_said"), given, "%s: what phase one was given", name);
	vendor_kernel_free(v);
	plan = (struct plan){.threads = 1};
}

static void test_signatures(void)
{
	plan = (struct plan){.threads = 1};
	for (size_t i = 0; i < 3; i++)
		add_tensor(i, ROWS, COLUMNS, DTYPE_F32);
	check_given("Mul", " 2x3:0 2x3:0 2x3:0");
	add_tensor(0, ROWS, COLUMNS, DTYPE_F32);
	add_tensor(1, ROWS, COLUMNS, DTYPE_BF16);
	check_given("Cast", " 2x3:0 2x3:27 to 27");
	add_tensor(0, ROWS, COLUMNS, DTYPE_F16);
	add_tensor(1, ROWS, COLUMNS, DTYPE_F16);
	check_given("Silu", " 2x3:1 2x3:1");
	add_tensor(0, ROWS, 2 * COLUMNS, DTYPE_F32);
	add_number(DTYPE_I64, value_int(-1));
	add_tensor(1, ROWS, COLUMNS, DTYPE_F32);
	check_given("SwiGlu", " 2x6:0 2x3:0 axis -1");
	add_tensor(0, ROWS, COLUMNS, DTYPE_F32);
	add_tensor(1, COLUMNS, ROWS, DTYPE_F32);
	add_tensor(2, ROWS, ROWS, DTYPE_F32);
	add_number(DTYPE_I8, value_int(1));
	const struct plan product = plan;

	check_given("Mm", " 2x3:0 3x2:0 2x2:0 cube 1");
	plan = product;
	check_given("Matmul", " 2x3:0 3x2:0 2x2:0 cube 1");
	add_tensor(0, ROWS, COLUMNS, DTYPE_F32);
	add_tensor(1, ROWS, COLUMNS, DTYPE_F32);
	add_tensor(2, 0, COLUMNS, DTYPE_F32);
	add_number(DTYPE_F64, value_real(1e-5));
	add_tensor(3, ROWS, COLUMNS, DTYPE_F32);
	add(ARG_SCRATCH)->bytes = ROWS * (int64_t)sizeof(float);
	add_tensor(4, ROWS, COLUMNS, DTYPE_F32);
	check_given("AddRmsNorm", " 2x3:0 2x3:0 3:0 2x3:0 2x1:0 2x3:0 epsilon 1e-05");
	check_balance();
}

static void add_null(void)
{
	(void)add(ARG_NULL);
}

static void add_text(const char *text)
{
	add(ARG_TEXT)->text = text;
}

/* Texts, truth values, null and arrays of integers, in the orders of their operators. */
static void test_kinds(void)
{
	plan = (struct plan){.threads = 1};
	add_tensor(0, ROWS, ROWS, DTYPE_F32);
	add_tensor(1, ROWS, COLUMNS, DTYPE_F32);
	add_tensor(2, COLUMNS, ROWS, DTYPE_F32);
	add_number(DTYPE_F32, value_real(0.5));
	add_number(DTYPE_F32, value_int(2));
	add_tensor(0, ROWS, ROWS, DTYPE_F32);
	add_number(DTYPE_I8, value_int(0));
	const struct plan product = plan;

	check_given("Addmm", " 2x2:0 2x3:0 3x2:0 (0.5) (2) 2x2:0 cube 0");
	plan = product;
	check_given("Baddbmm", " 2x2:0 2x3:0 3x2:0 (0.5) (2) 2x2:0 cube 0");
	add_tensor(0, ROWS, COLUMNS, DTYPE_F32);
	add_tensor(1, ROWS, COLUMNS, DTYPE_F16);
	check_given("InplaceCopy", " 2x3:0 2x3:1");
	add_tensor(0, ROWS, COLUMNS, DTYPE_F32);
	add_tensor(1, ROWS, COLUMNS, DTYPE_BOOL);
	add_text("-inf");
	check_given("InplaceMaskedFillScalar", " 2x3:0 2x3:12 (-inf)");
	add_tensor(0, ROWS, COLUMNS, DTYPE_F32);
	add_number(DTYPE_I64, value_int(-1));
	add_tensor(1, 0, 4, DTYPE_I64);
	add_tensor(2, ROWS, 4, DTYPE_F32);
	const struct plan numbers = plan;

	check_given("IndexSelect", " 2x3:0 4:9 2x4:0 axis -1");
	plan = numbers;
	check_given("InplaceIndexCopy", " 2x3:0 4:9 2x4:0 axis -1");
	for (size_t i = 0; i < 4; i++)
		add_tensor(i, ROWS, COLUMNS, DTYPE_BF16);
	add_number(DTYPE_I64, value_int(4));
	add_text("half");
	check_given("ApplyRotaryPosEmbV2", " 2x3:27 2x3:27 2x3:27 2x3:27 layout 4 half");
	for (size_t i = 0; i < 4; i++)
		add_tensor(i, ROWS, COLUMNS, DTYPE_F32);
	struct bound_argument *list = add(ARG_LIST);

	list->rank = 2;
	list->shape[0] = 16;
	list->shape[1] = -3;
	add_number(DTYPE_I64, value_int(64));
	add_number(DTYPE_BOOL, value_int(1));
	add_tensor(4, ROWS, COLUMNS, DTYPE_F32);
	add_tensor(5, ROWS, COLUMNS, DTYPE_F32);
	check_given("RopeWithSinCosCache",
		    " 2x3:0 2x3:0 2x3:0 2x3:0 [16 -3] 2x3:0 2x3:0 size 64 halves");
	for (size_t i = 0; i < 5; i++)
		add_tensor(i, ROWS, COLUMNS, DTYPE_F16);
	add_tensor(5, 0, 4, DTYPE_I32);
	for (size_t i = 0; i < 4; i++)
		add_null();
	list = add_tensor(5, 0, 2, DTYPE_I32);
	list->on_host = true;
	add_null();
	memcpy(buffers[5].data, (const int32_t[]){7, -8}, 2 * sizeof(int32_t));
	const struct plan scatter = plan;

	check_given("ScatterPaKvCache",
		    " 2x3:1 2x3:1 2x3:1 2x3:1 2x3:1 4:3 null null null null [7 -8] null");
	/* Other values in the same memory, as another set of inputs has them. */
	struct vendor_kernel *v = load("ScatterPaKvCache");

	plan = scatter;
	tap_int(run(v, 0, 2), ASC_OK, "launched with integers of the host: %s", e.text);
	const int before = look_count("fake_planned");
	memcpy(buffers[5].data, (const int32_t[]){7, 9}, 2 * sizeof(int32_t));
	tap_int(vendor_kernel_launch(v, &e), ASC_OK, "and with others in their place");
	tap_has(look("fake_said"), " [7 9] null", "which phase one is given");
	tap_int(vendor_kernel_launch(v, &e), ASC_OK, "and once more");
	tap_int(look_count("fake_planned"), before + 1, "for one executor, which is kept again");
	vendor_kernel_free(v);
	plan = (struct plan){.threads = 1};
	check_balance();
}

/* Numbers of aclDataType in abi.md, which Cast is given twice: as the type of its output, and as a
 * number. */
static void test_types(void)
{
	static const struct {
		enum dtype type;
		int number;
	} all[] = {{DTYPE_F32, 0},  {DTYPE_F16, 1},  {DTYPE_I8, 2},   {DTYPE_I32, 3},
		   {DTYPE_U8, 4},   {DTYPE_I16, 6},  {DTYPE_U16, 7},  {DTYPE_U32, 8},
		   {DTYPE_I64, 9},  {DTYPE_U64, 10}, {DTYPE_F64, 11}, {DTYPE_BOOL, 12},
		   {DTYPE_BF16, 27}};
	char given[60];

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		add_tensor(0, ROWS, COLUMNS, DTYPE_F32);
		add_tensor(1, ROWS, COLUMNS, all[i].type);
		snprintf(given, sizeof given, " 2x3:0 2x3:%d to %d", all[i].number, all[i].number);
		check_given("Cast", given);
	}
}

static void plan_add(void)
{
	plan = (struct plan){.threads = 1};
	add_tensor(0, ROWS, COLUMNS, DTYPE_F32);
	add_tensor(1, ROWS, COLUMNS, DTYPE_F32);
	add_number(DTYPE_F32, value_real(2));
	add_tensor(2, ROWS, COLUMNS, DTYPE_F32);
}

/* a + 2 b of buffers from number `first` on. */
static bool is_sum(size_t first)
{
	for (int i = 0; i < N; i++)
		if (buffers[first + 2].data[i] !=
		    buffers[first].data[i] + 2 * buffers[first + 1].data[i])
			return false;
	return true;
}

/* The same shapes at other addresses: what was made for the first is not used again. */
static void test_addresses(void)
{
	const int before = look_count("fake_planned");
	struct vendor_kernel *v = load("Add");

	plan_add();
	fill(0, 1);
	fill(1, 100);
	fill(TENSORS, 7);
	fill(TENSORS + 1, -3);
	tap_int(run(v, 0, 3), ASC_OK, "three launches");
	tap_int(look_count("fake_planned"), before + 1, "of one executor, which is kept");
	tap_ok(is_sum(0), "compute");
	memset(&buffers[2], 0, sizeof buffers[2]);
	tap_int(run(v, TENSORS, 2), ASC_OK, "bound to other addresses");
	tap_int(look_count("fake_planned"), before + 2, "it has another executor");
	tap_ok(is_sum(TENSORS), "and computes there");
	tap_ok(buffers[2].data[0] == 0, "and not where it was before");
	tap_int(look_count("fake_live"), 5, "three tensors, a scalar and an executor are alive");
	vendor_kernel_free(v);
	check_balance();
}

static void plan_cat(void)
{
	plan = (struct plan){.threads = 1};
	add_tensor(0, ROWS, COLUMNS, DTYPE_F32);
	add_tensor(1, 1, COLUMNS, DTYPE_F32);
	add_number(DTYPE_I64, value_int(0));
	add_tensor(2, ROWS + 1, COLUMNS, DTYPE_F32);
}

static void test_used_up(void)
{
	const int before = look_count("fake_planned");
	struct vendor_kernel *v = load("Cat");

	plan_cat();
	fill(0, 1);
	fill(1, 50);
	tap_int(run(v, 0, 3), ASC_OK, "three launches of an executor that is used up");
	tap_int(look_count("fake_planned"), before + 3, "phase one is called for each");
	tap_str(look("fake_said"), " 2x3:0 1x3:0 3x3:0 axis 0", "with the same list");
	tap_ok(buffers[2].data[0] == 1 && buffers[2].data[N] == 50, "they compute");
	tap_int(run(v, 0, 0), ASC_OK, "an executor that is never launched");
	vendor_kernel_free(v);
	check_balance();
}

/* Phase one is asked again for each launch, and may answer otherwise. */
static void test_growth(void)
{
	uint64_t *bytes = look("fake_cat_bytes");
	struct vendor_kernel *v = load("Cat");

	plan_cat();
	*bytes = 64;
	tap_int(run(v, 0, 2), ASC_OK, "a workspace of 64 bytes");
	*bytes = 65;
	tap_int(vendor_kernel_launch(v, &e), ASC_LIMIT, "a workspace that grows is refused");
	tap_has(e.text, "a workspace of 65 bytes, and 64 before", "with both sizes");
	*bytes = 0;
	vendor_kernel_free(v);
	check_balance();
}

static double find_metric(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].name, name) == 0)
			return r->metrics[i].value;
	return -1;
}

static void test_workspace(void)
{
	struct vendor_kernel *v = load("RmsNorm");
	struct result r;

	plan = (struct plan){.threads = 1};
	add_tensor(0, ROWS, COLUMNS, DTYPE_F32);
	add_tensor(1, 0, COLUMNS, DTYPE_F32);
	add_number(DTYPE_F64, value_real(0));
	add_tensor(2, ROWS, COLUMNS, DTYPE_F32);
	add(ARG_SCRATCH)->bytes = ROWS * (int64_t)sizeof(float);
	fill(0, 1);
	fill(1, 1);
	tap_int(run(v, 0, 2), ASC_OK, "a call that wants a workspace: %s", e.text);
	tap_int(allocated, 100, "it has the size of phase one");
	tap_ok(fabs((double)buffers[2].data[1] - 2 * 2 / sqrt(14.0 / 3)) < 1e-6, "it computes");
	result_init(&r);
	tap_int(vendor_record_facts(&v, 1, &r, &e), ASC_OK, "facts");
	tap_int((int64_t)find_metric(&r, "workspace_bytes"), 100, "the workspace is one");
	tap_int((int64_t)find_metric(&r, "capturable"), 1, "what needs no phase one is capturable");
	tap_ok(find_metric(&r, "host_ns") > 0, "launching takes the host time");
	result_fini(&r);
	plan.arguments[4].bytes = 4;
	tap_int(run(v, 0, 1), ASC_INPUT, "scratch for one of two rows");
	tap_has(e.text, "4 bytes of scratch are too few for statistics of 8", "is too little");
	vendor_kernel_free(v);
	check_balance();
}

static void refuse(const char *name, enum asc_status status, const char *words)
{
	struct vendor_kernel *v = load(name);

	tap_int(run(v, 0, 1), status, "%s is refused", name);
	tap_has(e.text, words, "%s", words);
	vendor_kernel_free(v);
}

static void test_refusals(void)
{
	plan_add();
	plan.n_arguments--;
	refuse("Add", ASC_INPUT, "aclnn:Add takes as argument 3 out: expected a tensor");
	plan_add();
	add_number(DTYPE_I64, value_int(1));
	refuse("Add", ASC_INPUT, "aclnn:Add takes 4 arguments, not 5");
	plan_add();
	plan.arguments[2].kind = ARG_TENSOR;
	refuse("Add", ASC_INPUT,
	       "argument 2 alpha: expected a scalar, or a text \"inf\" or \"-inf\"");
	plan_add();
	plan.arguments[1].kind = ARG_NULL;
	refuse("Add", ASC_INPUT, "argument 1 other: expected a tensor");
	for (size_t i = 0; i < 2; i++) {
		plan = (struct plan){.threads = 1};
		for (size_t k = 0; k < 4; k++)
			add_tensor(k, ROWS, COLUMNS, DTYPE_F32);
		if (i)
			add_null();
		else
			add_tensor(4, 0, 2, DTYPE_I64);
		add_number(DTYPE_I64, value_int(64));
		add_number(DTYPE_I64, value_int(1));
		refuse("RopeWithSinCosCache", ASC_INPUT,
		       i ? "argument 6 isNeoxStyle: expected a scalar of type bool"
			 : "argument 4 mropeSection: expected a list, null, or a tensor of at most "
			   "4096 integers (i32, i64) whose place is the host");
	}
	plan_add();
	plan.arguments[1].on_host = true;
	refuse("Add", ASC_INPUT, "other lies in the host's memory");
	plan_cat();
	plan.arguments[1].on_host = true;
	refuse("Cat", ASC_INPUT, "aclnn:Cat: tensors lies in the host's memory");
	plan_cat();
	plan.arguments[2].scalar = value_real(0.5);
	refuse("Cat", ASC_INPUT, "argument 2 dim: expected an integer");
	plan = (struct plan){.threads = 1};
	for (size_t i = 0; i < 3; i++)
		add_tensor(i, ROWS, COLUMNS, DTYPE_F16);
	refuse("Mul", ASC_INPUT, "aclnn:Mul: phase one: ACLNN_ERR_PARAM_INVALID (161002)");
	check_balance();
	tap_int(vendor_check("aclnn:Softmax", "Softmax", "npu", &e), ASC_ABSENT,
		"an operator that this CANN lacks");
	tap_has(e.text, "aclnnSoftmaxGetWorkspaceSize", "is named");
	tap_int(vendor_check("aclnn:Gelu", "Gelu", "npu", &e), ASC_ABSENT,
		"one without a signature");
	tap_str(e.text, "aclnn has no function \"Gelu\" here", "is named");
	tap_int(vendor_check("aclnn:Add", "Add", "cuda", &e), ASC_ABSENT, "another device");
	tap_int(vendor_check("atb:Rope", "Rope", "npu", &e), ASC_ABSENT, "a library of C++");
	tap_str(e.text, "ATB's C++ interface is not supported", "says why");
}

/* ---- the files ---- */

static bool make_library(const char *name, const char *define)
{
	char path[400];

	snprintf(path, sizeof path, "%s/lib64/%s", folder, name);
	return compile_library(path, "tests/data/vendor/fake_aclnn.c", define);
}

static bool make_installation(void)
{
	const char *base = getenv("TMPDIR");
	char from[400], to[400];

	snprintf(folder, sizeof folder, "%s/fake-cann-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(folder))
		return false;
	snprintf(to, sizeof to, "%s/lib64", folder);
	(void)mkdir(to, 0700);
	snprintf(from, sizeof from, "%s/lib64/libopapi.so", folder);
	snprintf(to, sizeof to, "%s/lib64/libnnopbase.so", folder);
	return make_library("libascendcl.so", "-DRUNTIME") && make_library("libopapi.so", NULL) &&
	       link(from, to) == 0 && setenv(toolkit_cann.variable, folder, 1) == 0;
}

/* ---- which library an operator is of ---- */

/* Order of abi.md: a user's own operators before those of CANN. */
static const char *const libraries[] = {
	"libcust_opapi.so",      "libopapi.so",           "libopapi_math.so",
	"libopapi_nn.so",        "libopapi_cv.so",        "libopapi_transformer.so",
	"libopapi_oam.so",       "libopapi_legacy.so",    "libaclnn_math.so",
	"libaclnn_ops_infer.so", "libaclnn_ops_train.so", "libaclnn_rand.so",
	"libaclnn_sparse.so",    "libaclnn_fft.so"};

enum { N_LIBRARIES = sizeof libraries / sizeof *libraries };

/* Names the file that Softmax was found in, in a process of its own: a library is opened once. All
 * files are links to one, which the loader knows by the name that was opened. */
static bool is_found_in(const char *name)
{
	char path[400];
	Dl_info found;

	(void)setenv(toolkit_cann.variable, "order", 1);
	if (vendor_check("aclnn:Softmax", "Softmax", "npu", &e))
		return false;
	snprintf(path, sizeof path, "order/lib64/%s", libraries[N_LIBRARIES - 1]);
	void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, "aclnnSoftmax") : NULL;
	const char *slash = symbol && dladdr(symbol, &found) ? strrchr(found.dli_fname, '/') : NULL;

	return slash && strcmp(slash + 1, name) == 0;
}

static void check_found_in(const char *name)
{
	const pid_t child = fork();
	int status = -1;

	if (child == 0)
		_exit(chdir(folder) == 0 && is_found_in(name) ? 0 : 1);
	tap_ok(child > 0 && waitpid(child, &status, 0) == child && status == 0,
	       "an operator that %s and later libraries have is found there", name);
}

static bool make_link(const char *from, const char *name)
{
	char path[400];

	snprintf(path, sizeof path, "%s/order/lib64/%s", folder, name);
	return link(from, path) == 0;
}

static bool make_libraries(void)
{
	char path[400];
	bool made;

	snprintf(path, sizeof path, "%s/order/lib64", folder);
	made = dir_make(path, &e) == ASC_OK;
	snprintf(path, sizeof path, "%s/lib64/libascendcl.so", folder);
	made = made && make_link(path, "libascendcl.so");
	snprintf(path, sizeof path, "%s/lib64/libnnopbase.so", folder);
	made = made && make_link(path, "libnnopbase.so");
	made = made && make_library("softmax.so", "-DSOFTMAX");
	snprintf(path, sizeof path, "%s/lib64/softmax.so", folder);
	for (size_t i = 0; made && i < N_LIBRARIES; i++)
		made = make_link(path, libraries[i]);
	return made;
}

static void test_order(void)
{
	char path[400];

	if (!tap_ok(make_libraries(), "libraries with one operator"))
		return;
	for (size_t i = 0; i < N_LIBRARIES; i++) {
		check_found_in(libraries[i]);
		snprintf(path, sizeof path, "%s/order/lib64/%s", folder, libraries[i]);
		(void)unlink(path);
	}
}

int main(void)
{
	struct buf text = {0};

	if (tap_ok(make_installation(), "the fake compiles")) {
		test_order();
		tap_int(vendor_check("aclnn:Add", "Add", "npu", &e), ASC_OK, "it is opened");
		tap_int(vendor_identity("aclnn:Add", &text, &e), ASC_OK, "it says its version");
		tap_ok(strncmp(buf_str(&text), "aclnn 1 ACL 0.0.0, libnnopbase.so of ", 37) == 0,
		       "with that of the calls, and the file that has the operator: %s",
		       buf_str(&text));
		test_signatures();
		test_kinds();
		test_types();
		test_addresses();
		test_used_up();
		test_growth();
		test_workspace();
		test_refusals();
	}
	buf_fini(&text);
	dir_remove(folder);
	return tap_done();
}

/* The NPU's device on the stand-in: each version of the runtime, both clocks, buffers, limits of a
 * launch, and what goes wrong. Each case has a process of its own, since a process initialises the
 * runtime once and a lost device stays lost. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/device/device.h"

enum { N = 2500, BYTES = N * 4, BLOCKS = 3, CASE_SECONDS = 60 };

/* ---- cases ---- */

struct npu_case {
	const char *folder, *control, *clock; /* of the stand-in; NULL: what it is without */
	const char *name;
	void (*run)(void);
};

static char trouble[600]; /* the first check that failed in this process */
static char log_path[300];
static struct asc_err e;
static const struct device_ops *const npu = &device_npu;
static const char place[] = "sim:Ascend910B3"; /* the control may name another SoC */

static void hold(bool ok, int line, const char *text)
{
	if (!ok && !*trouble)
		(void)snprintf(trouble, sizeof trouble, "line %d: %s (%.400s)", line, text, e.text);
}

#define HOLDS(condition) hold((condition), __LINE__, #condition)
#define WORKS(call)      HOLDS((call) == ASC_OK)

static void set_environment(const struct npu_case *c)
{
	char path[400];

	(void)snprintf(path, sizeof path, "%s/%s", STANDIN_FOLDER, c->folder ? c->folder : "head");
	(void)setenv("ASCTUNE_CANN", path, 1);
	(void)setenv("STANDIN", c->control ? c->control : "soc=Ascend910B3", 1);
	(void)setenv("STANDIN_LOG", log_path, 1);
	(void)setenv("ASCTUNE_NPU_CLOCK", c->clock ? c->clock : "", 1);
}

/* The child tells its trouble and ends as a program does, so that the runtime's log is whole. */
static void run_child(const struct npu_case *c, int to)
{
	(void)alarm(CASE_SECONDS);
	set_environment(c);
	c->run();
	if (write(to, trouble, strlen(trouble)) < 0)
		_exit(1);
	(void)close(to);
	(void)freopen("/dev/null", "w", stdout);
	exit(0);
}

static void run_case(const struct npu_case *c)
{
	char told[600] = "";
	int pair[2], status = -1;

	(void)unlink(log_path);
	(void)fflush(stdout);
	if (pipe(pair) != 0)
		return;
	const pid_t child = fork();

	if (child == 0)
		run_child(c, pair[1]);
	(void)close(pair[1]);
	if (read(pair[0], told, sizeof told - 1) < 0)
		*told = '\0';
	(void)close(pair[0]);
	(void)waitpid(child, &status, 0);
	tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a process of its own: %d", status);
	tap_str(told, "", "%s%s%s%s%s: %s", c->folder ? c->folder : "head", c->control ? " " : "",
		c->control ? c->control : "", c->clock ? " clock " : "", c->clock ? c->clock : "",
		c->name);
}

/* ---- a device with a kernel: to[i] = from[i] + 1 ---- */

struct bench {
	struct device *d;
	struct device_kernel *k;
	struct device_buffer *tensors[2];
	struct plan plan;
	float data[N];
};

static struct bench b;

static void make_plan(int64_t n, int64_t x, int64_t y)
{
	b.plan = (struct plan){.grid = {x, y, 1}, .block = {1, 1, 1}, .n_arguments = 3};
	b.plan.arguments[0] = (struct bound_argument){.kind = ARG_TENSOR, .tensor = 0};
	b.plan.arguments[1] = (struct bound_argument){.kind = ARG_TENSOR, .tensor = 1};
	b.plan.arguments[2] = (struct bound_argument){
		.kind = ARG_SCALAR, .type = DTYPE_I32, .scalar = value_int(n)};
}

static void open_bench(void)
{
	for (int i = 0; i < N; i++)
		b.data[i] = (float)i;
	WORKS(npu->open(place, &b.d, &e));
	if (!b.d)
		return;
	for (size_t i = 0; i < 2; i++)
		WORKS(npu->alloc(b.d, BYTES, &b.tensors[i], &e));
	WORKS(npu->write(b.d, b.tensors[0], b.data, BYTES, &e));
	WORKS(npu->fill(b.d, b.tensors[1], 0xFF, &e));
	WORKS(npu->load(b.d, TWIN_ADD, "add_one", &b.k, &e));
}

static void close_bench(void)
{
	if (!b.d)
		return;
	npu->unload(b.d, b.k);
	for (size_t i = 0; i < 2; i++)
		npu->release(b.d, b.tensors[i]);
	npu->close(b.d);
}

static enum asc_status bind(int64_t n, int64_t x, int64_t y)
{
	make_plan(n, x, y);
	return b.k ? npu->bind(b.d, b.k, &b.plan, b.tensors, NULL, &e) : ASC_INTERNAL;
}

static enum asc_status time_it(struct device_batch batch, int64_t *ns)
{
	return npu->run(b.d, &(struct device_sequence){&b.k, 1}, &batch, ns, &e);
}

static bool is_added(void)
{
	float out[N];
	int right = 0;

	if (npu->read(b.d, b.tensors[1], out, BYTES, &e))
		return false;
	for (int i = 0; i < N; i++)
		right += out[i] == (float)i + 1;
	return right == N;
}

static bool is_harmed(struct device_buffer *buffer, enum device_harm harm)
{
	enum device_harm found;

	return device_look(npu, b.d, buffer, &found, &e) == ASC_OK && found == harm;
}

/* ---- what works ---- */

static void inspects(void)
{
	struct device_info info;
	char reason[300] = "";

	HOLDS(npu->check(reason, sizeof reason));
	HOLDS(npu->count() == 1);
	WORKS(npu->inspect(place, &info, &e));
	HOLDS(strcmp(info.model, "Ascend910B3 (stand-in)") == 0);
	HOLDS(strcmp(info.arch, "Ascend910B3") == 0);
	HOLDS(info.facts.value[FACT_UB_BYTES] == 196608);
	HOLDS(info.facts.value[FACT_VECTOR_CORES] == 40);
	HOLDS(info.facts.value[FACT_NPU_ARCH] == 2201);
	HOLDS(info.queues && info.simulated && !info.shares_host);
	HOLDS(strncmp(info.driver, "ACL ", 4) == 0);
	HOLDS(strcmp(info.clock, "mspti") == 0);
	HOLDS(npu->inspect("", &info, &e) == ASC_USAGE);
	HOLDS(npu->inspect("sim:x", &info, &e) == ASC_USAGE);
}

static void launches(void)
{
	int64_t ns[3] = {0}, sums[3] = {0};

	open_bench();
	const bool records = b.d && strcmp(npu->info(b.d)->clock, "mspti") == 0;

	WORKS(bind(N, BLOCKS, 1));
	WORKS(time_it((struct device_batch){.samples = 3, .launches = 100, .kernels_ns = sums},
		      ns));
	for (int i = 0; i < 3; i++)
		HOLDS(ns[i] > 0 && (records ? sums[i] == ns[i] : sums[i] == 0));
	HOLDS(b.d && is_added());
	WORKS(npu->flush(b.d, NULL, &e));
	WORKS(time_it((struct device_batch){.samples = 2, .launches = 2, .cold = true}, ns));
	HOLDS(ns[0] > 0 && ns[1] > 0);
	WORKS(npu->launch(b.d, &(struct device_sequence){&b.k, 1}, 5, &e));
	WORKS(npu->wait(b.d, &e));
	HOLDS(!npu->lost(b.d));
	close_bench();
}

/* A vendor's function of two kernels, in the place of the bench's own. */
static void open_softmax(void)
{
	struct vendor_kernel *v;

	open_bench();
	npu->unload(b.d, b.k);
	b.k = NULL;
	WORKS(device_load(npu, b.d, "aclnn:Softmax", "Softmax", &v, &b.k, &e));
	b.plan = (struct plan){.grid = {1, 1, 1}, .block = {1, 1, 1}, .n_arguments = 3};
	for (size_t i = 0; i < 3; i += 2)
		b.plan.arguments[i] = (struct bound_argument){.kind = ARG_TENSOR,
							      .type = DTYPE_F32,
							      .tensor = i / 2,
							      .rank = 2,
							      .shape = {50, N / 50}};
	b.plan.arguments[1] = (struct bound_argument){
		.kind = ARG_SCALAR, .type = DTYPE_I64, .scalar = value_int(1)};
	if (b.k)
		WORKS(npu->bind(b.d, b.k, &b.plan, b.tensors, NULL, &e));
}

/* Each sample has both kernels, also where every launch is a batch of its own. */
static void counts_kernels(void)
{
	enum { SAMPLES = 40 };
	int64_t ns[SAMPLES] = {0}, sums[SAMPLES] = {0}, most = 0;

	open_softmax();
	for (size_t i = 0; i < SAMPLES; i++) {
		WORKS(time_it(
			(struct device_batch){.samples = 1, .launches = 1, .kernels_ns = &sums[i]},
			&ns[i]));
		most = sums[i] > most ? sums[i] : most;
	}
	for (size_t i = 0; i < SAMPLES; i++)
		HOLDS(ns[i] >= sums[i] && 10 * sums[i] > 9 * most);
	close_bench();
}

/* Where it cannot be known how many kernels a launch has there is no time. */
static void loses_kernels(void)
{
	int64_t ns = 0;

	open_softmax();
	HOLDS(time_it((struct device_batch){.samples = 1, .launches = 1}, &ns) == ASC_IO);
	HOLDS(strstr(e.text, "loses records") != NULL);
	close_bench();
}

/* Kernels that run in order as one launch: its time is that of both. */
static void sequences(void)
{
	struct device_kernel *pair[2] = {NULL, NULL};
	int64_t one = 0, two = 0, sum = 0;

	open_bench();
	WORKS(bind(N, BLOCKS, 1));
	pair[0] = b.k;
	WORKS(npu->load(b.d, TWIN_ADD, "nothing", &pair[1], &e));
	WORKS(npu->bind(b.d, pair[1], &b.plan, b.tensors, NULL, &e));
	WORKS(time_it((struct device_batch){.samples = 1, .launches = 1}, &one));
	WORKS(npu->run(b.d, &(struct device_sequence){pair, 2},
		       &(struct device_batch){.samples = 1, .launches = 1, .kernels_ns = &sum},
		       &two, &e));
	HOLDS(two >= sum && sum > 0);
	npu->unload(b.d, pair[1]);
	close_bench();
}

static void buffers(void)
{
	open_bench();
	HOLDS(is_harmed(b.tensors[0], DEVICE_UNHARMED));
	HOLDS(is_harmed(b.tensors[1], DEVICE_UNHARMED));
	HOLDS(npu->write(b.d, b.tensors[0], b.data, BYTES + 1, &e) == ASC_LIMIT);
	HOLDS(npu->address(NULL) == NULL);
	WORKS(bind(N + 1, BLOCKS, 1)); /* writes one element past the end */
	WORKS(npu->launch(b.d, &(struct device_sequence){&b.k, 1}, 1, &e));
	HOLDS(is_harmed(b.tensors[1], DEVICE_STRAY));
	HOLDS(is_harmed(b.tensors[0], DEVICE_UNHARMED));
	close_bench();
}

/* Memory of the host is read, written and looked at as the device's; the host has its address. */
static void buffers_of_host(void)
{
	struct device_buffer *host = NULL;
	float back[N];

	open_bench();
	WORKS(npu->alloc_host(b.d, BYTES, &host, &e));
	if (!host)
		return;
	HOLDS((uintptr_t)npu->address(host) % 64 == 0);
	WORKS(npu->write(b.d, host, b.data, BYTES, &e));
	HOLDS(memcmp(npu->address(host), b.data, BYTES) == 0);
	WORKS(npu->read(b.d, host, back, BYTES, &e));
	HOLDS(memcmp(back, b.data, BYTES) == 0);
	WORKS(npu->protect(b.d, host, true, &e));
	HOLDS(is_harmed(host, DEVICE_UNHARMED));
	*(char *)npu->address(host) ^= 1;
	HOLDS(is_harmed(host, DEVICE_CHANGED));
	WORKS(npu->fill(b.d, host, 0x5A, &e));
	HOLDS(is_harmed(host, DEVICE_UNHARMED) && *(char *)npu->address(host) == 0x5A);
	((char *)npu->address(host))[BYTES] ^= 1;
	HOLDS(is_harmed(host, DEVICE_STRAY));
	npu->release(b.d, host);
	close_bench();
}

static void protects(void)
{
	open_bench();
	WORKS(npu->protect(b.d, b.tensors[1], true, &e));
	WORKS(npu->write(b.d, b.tensors[1], b.data, BYTES, &e));
	HOLDS(is_harmed(b.tensors[1], DEVICE_UNHARMED));
	WORKS(bind(N, BLOCKS, 1));
	WORKS(npu->launch(b.d, &(struct device_sequence){&b.k, 1}, 1, &e));
	HOLDS(is_harmed(b.tensors[1], DEVICE_CHANGED));
	close_bench();
}

/* The process's other thread takes the device over. */
static void moves(void)
{
	open_bench();
	WORKS(npu->attach(b.d, &e));
	WORKS(bind(N, BLOCKS, 1));
	WORKS(npu->launch(b.d, &(struct device_sequence){&b.k, 1}, 1, &e));
	WORKS(npu->wait(b.d, &e));
	HOLDS(is_added());
	close_bench();
}

/* A runtime that another library of the process has begun is that one's to end. */
static void joins(void)
{
	char path[500];
	int (*init)(const char *), (*finalize)(void);

	(void)snprintf(path, sizeof path, "%s/lib64/libascendcl.so", getenv("ASCTUNE_CANN"));
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *first = library ? dlsym(library, "aclInit") : NULL;
	void *last = library ? dlsym(library, "aclFinalize") : NULL;

	HOLDS(first && last);
	if (!first || !last)
		return;
	memcpy(&init, &first, sizeof init);
	memcpy(&finalize, &last, sizeof finalize);
	HOLDS(init(NULL) == 0);
	open_bench();
	HOLDS(b.d != NULL);
	close_bench();
	HOLDS(finalize() == 0);
}

/* ---- what is refused ---- */

static void refuses_grids(void)
{
	static const int64_t bad[][2] = {{0, 1}, {65536, 1}, {256, 256}, {-1, -1}, {1, 65536}};

	open_bench();
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		HOLDS(bind(N, bad[i][0], bad[i][1]) == ASC_LIMIT);
		HOLDS(strstr(e.text, "coreDim") != NULL);
	}
	HOLDS(npu->launch(b.d, &(struct device_sequence){&b.k, 1}, 1, &e) == ASC_USAGE);
	WORKS(bind(N, 255, 257)); /* 65535 */
	close_bench();
}

static void refuses_kernels(void)
{
	struct device_kernel *k;

	open_bench();
	HOLDS(npu->load(b.d, TWIN_ADD, "no_such_kernel", &k, &e) != ASC_OK && !k);
	HOLDS(strstr(e.text, TWIN_ADD) != NULL);
	HOLDS(npu->load(b.d, "/no/such/kernel.o", "k", &k, &e) != ASC_OK && !k);
	HOLDS(!npu->lost(b.d));
	close_bench();
}

static void refuses_first_generation(void)
{
	struct device_info info;
	char reason[300] = "";

	HOLDS(!npu->check(reason, sizeof reason));
	HOLDS(strstr(reason, "first generation") && strstr(reason, "TBE"));
	HOLDS(npu->inspect(place, &info, &e) == ASC_ABSENT);
}

static void refuses_runtimes(void)
{
	char reason[300] = "";

	HOLDS(!npu->check(reason, sizeof reason));
	HOLDS(strstr(reason, "aclInit: ACL_ERROR_RT_SOC_VERSION (507008)") != NULL);
}

static void is_nameless(void)
{
	struct device_info info;

	HOLDS(npu->inspect(place, &info, &e) == ASC_ABSENT);
	HOLDS(strstr(e.text, "rtGetSocVersion: ACL_ERROR_RT_DEV_SETUP_ERROR") != NULL);
}

static void refuses_clocks(void)
{
	HOLDS(npu->open(place, &b.d, &e) == ASC_USAGE && !b.d);
	HOLDS(strcmp(e.text, "ASCTUNE_NPU_CLOCK is \"sun\", expected mspti or event") == 0);
}

static void refuses_half(void)
{
	struct device_info info;
	char reason[300] = "";

	(void)setenv("ASCTUNE_CANN", "/no/such/cann", 1);
	HOLDS(!npu->check(reason, sizeof reason));
	HOLDS(strstr(reason, "/no/such/cann/lib64/libascendcl.so") != NULL);
	HOLDS(npu->count() == 0 && npu->inspect(place, &info, &e) == ASC_ABSENT);
}

/* ---- what goes wrong ---- */

static void breaks(void)
{
	open_bench();
	WORKS(bind(N, BLOCKS, 1));
	int64_t ns = 0;
	HOLDS(time_it((struct device_batch){.samples = 1, .launches = 1}, &ns) == ASC_IO);
	HOLDS(strstr(e.text, "ACL_ERROR_RT_") && strstr(e.text, "(5070"));
	HOLDS(npu->lost(b.d));
	enum device_harm harm;

	HOLDS(device_look(npu, b.d, b.tensors[1], &harm, &e) == ASC_IO); /* nor is that a harm */
	close_bench();
}

static void runs_out_of_memory(void)
{
	struct device_buffer *more = NULL;

	WORKS(npu->open(place, &b.d, &e));
	WORKS(npu->alloc(b.d, BYTES, &b.tensors[0], &e));
	HOLDS(npu->alloc(b.d, BYTES, &more, &e) == ASC_NOMEM && !more);
	HOLDS(strstr(e.text, "no device memory for a buffer of") && strstr(e.text, "(207"));
	HOLDS(!npu->lost(b.d));
	close_bench();
}

static void has_no_times(void)
{
	int64_t ns = 0;

	open_bench();
	WORKS(bind(N, BLOCKS, 1));
	HOLDS(time_it((struct device_batch){.samples = 1, .launches = 4}, &ns) == ASC_IO);
	HOLDS(strcmp(e.text, "the clock \"mspti\" has no time of 32 launches") == 0);
	close_bench();
}

static void falls_back(void)
{
	struct device_info info;

	WORKS(npu->inspect(place, &info, &e));
	HOLDS(strcmp(info.clock, "event") == 0);
	launches();
}

static int count_lines(const char *log, const char *text)
{
	int n = 0;

	for (const char *at = strstr(log, text); at; at = strstr(at + 1, text))
		n++;
	return n;
}

/* Every object that was made is gone when the process ends. */
static void check_balance(const char *log)
{
	int unequal = 0;

	for (const char *at = strstr(log, "balance "); at; at = strstr(at + 1, "balance ")) {
		int made = 0, freed = 0;

		if (sscanf(at, "balance %*[^:]: %d made, %d freed", &made, &freed) == 2)
			unequal += made != freed;
	}
	tap_ok(count_lines(log, "balance ") > 0 && unequal == 0, "what was made is gone");
}

static void check_log(void (*run)(void), void (*check)(const char *log))
{
	struct buf text = {0};

	run_case(&(struct npu_case){.name = "writes a log", .run = run});
	if (tap_int(file_read(log_path, 0, &text, &e), ASC_OK, "the log is read")) {
		check_balance(buf_str(&text));
		check(buf_str(&text));
	}
	buf_fini(&text);
}

static void check_launches(const char *log)
{
	tap_int(count_lines(log, " aclFinalize 0"), 1, "the runtime ends once");
	tap_int(count_lines(log, " mstxRangeStartA "), 1, "launches of a kernel are in one range");
	tap_int(count_lines(log, " mstxRangeEnd "), 1, "that ends");
	tap_ok(strstr(log, "add_one libtwin_add.so") != NULL, "it names entry and artifact");
}

static void check_host_log(const char *log)
{
	tap_int(count_lines(log, " aclrtMallocHost 0"), 1, "pinned memory is the runtime's");
	tap_int(count_lines(log, " aclrtFreeHost 0"), 1, "and is given back");
}

static void check_joined(const char *log)
{
	tap_int(count_lines(log, " aclInit "), 2, "the runtime is begun by two");
	tap_int(count_lines(log, " aclFinalize "), 1, "and ended by the first");
}

static const struct npu_case cases[] = {
	{NULL, NULL, NULL, "is inspected", inspects},
	{"2022", NULL, NULL, "is inspected", inspects},
	{"split", NULL, NULL, "is inspected", inspects},
	{NULL, NULL, "mspti", "launches", launches},
	{"2022", NULL, "mspti", "launches", launches},
	{"2023", NULL, "mspti", "launches", launches},
	{"2025", NULL, "mspti", "launches", launches},
	{"split", NULL, "mspti", "launches", launches},
	{NULL, NULL, "event", "launches", launches},
	{"2022", NULL, "event", "launches", launches},
	{"2023", NULL, "event", "launches", launches},
	{"2025", NULL, "event", "launches", launches},
	{NULL, "soc=Ascend950PR_9579", NULL, "launches", launches},
	{NULL, NULL, NULL, "is handed over", moves},
	{NULL, NULL, NULL, "joins what has begun", joins},
	{NULL, NULL, NULL, "has launches of several kernels", sequences},
	{NULL, NULL, NULL, "looks at buffers", buffers},
	{NULL, NULL, NULL, "has buffers of the host", buffers_of_host},
	{NULL, NULL, NULL, "notices changed inputs", protects},
	{NULL, NULL, NULL, "refuses grids", refuses_grids},
	{NULL, NULL, NULL, "refuses kernels", refuses_kernels},
	{"2025", NULL, NULL, "refuses kernels", refuses_kernels},
	{NULL, "soc=Ascend910A", NULL, "is refused", refuses_first_generation},
	{NULL, "fault=err=507008@1", NULL, "is refused", refuses_runtimes},
	{"2022", "fault=err=507033@3", NULL, "does not say what it is", is_nameless},
	{NULL, NULL, "sun", "refuses an unknown clock", refuses_clocks},
	{NULL, NULL, NULL, "is missing", refuses_half},
	{NULL, "fault=aicore=1", "mspti", "breaks", breaks},
	{NULL, "fault=aicore=1", "event", "breaks", breaks},
	{NULL, "fault=oom=2", NULL, "has no memory left", runs_out_of_memory},
	{NULL, "fault=zero", "mspti", "has no times", has_no_times},
	{NULL, "fault=rows=0", "mspti", "has no times", has_no_times},
	{NULL, "fault=drop=0.3", "mspti", "makes launches again", launches},
	{NULL, NULL, "mspti", "counts a function's kernels", counts_kernels},
	{NULL, "fault=drop=0.1", "mspti", "counts a function's kernels", counts_kernels},
	{NULL, "fault=drop=0.5", "mspti", "does not guess a function's kernels", loses_kernels},
	{NULL, "fault=rows=2", "mspti", "takes several records of a kernel", launches},
	{NULL, "fault=reorder", "mspti", "knows whose records they are", launches},
	{NULL, "fault=drift", "mspti", "has no time below 0", launches},
	{NULL, "fault=preload", NULL, "takes events", falls_back},
};

int main(void)
{
	const char *base = getenv("TMPDIR");

	(void)snprintf(log_path, sizeof log_path, "%.200s/t-npu-%d.log",
		       base && *base ? base : "/tmp", (int)getpid());
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		run_case(&cases[i]);
	check_log(launches, check_launches);
	check_log(joins, check_joined);
	check_log(buffers_of_host, check_host_log);
	(void)unlink(log_path);
	return tap_done();
}

/* The NPU's device on the stand-in: each version of the runtime, buffers, limits of a launch, and
 * what goes wrong. Its clocks: t-npu_clock.c.
 * covers: npu.c npu_buffer.c npu_kernel.c npu_device.c */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/device/npu_bench.h"
#include "tuner/device/libs/acl.h"
#include "tuner/device/npu/npu_device.h"

enum { N = NPU_BENCH_N, BYTES = NPU_BENCH_BYTES, BLOCKS = NPU_BENCH_BLOCKS };

static struct asc_err e;
static const struct device_ops *const npu = &device_npu;
static const char place[] = "sim:Ascend910B3"; /* the control may name another SoC */

static bool is_harmed(struct device_buffer *buffer, enum device_harm harm)
{
	enum device_harm found;

	return device_look(npu, bench.d, buffer, &found, &e) == ASC_OK && found == harm;
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

static void tells_versions(void)
{
	struct device_info info;

	WORKS(npu->inspect(place, &info, &e));
	HOLDS(strcmp(info.driver, "ACL 1.15.0, runtime 9.1, driver 9.1") == 0);
	HOLDS(strcmp(info.machine, "NPU-7374616e-6469-6e00-0000-000000000000") == 0);
}

/* A runtime that can tell neither. */
static void tells_one_version(void)
{
	struct device_info info;

	WORKS(npu->inspect(place, &info, &e));
	HOLDS(strcmp(info.driver, "ACL 1.15.0") == 0);
	HOLDS(!*info.machine);
}

/* Kernels that run in order as one launch: its time is that of both. */
static void sequences(void)
{
	struct device_kernel *pair[2] = {NULL, NULL};
	int64_t one = 0, two = 0, sum = 0;

	npu_bench_open();
	WORKS(npu_bench_bind(N, BLOCKS, 1, &e));
	pair[0] = bench.k;
	WORKS(npu->load(bench.d, TWIN_ADD, "nothing", &pair[1], &e));
	WORKS(npu->bind(bench.d, pair[1], &bench.plan, bench.tensors, NULL, &e));
	WORKS(npu_bench_run((struct device_batch){.samples = 1, .launches = 1}, &one, &e));
	WORKS(npu->run(bench.d, &(struct device_sequence){pair, 2},
		       &(struct device_batch){.samples = 1, .launches = 1, .kernels_ns = &sum},
		       &two, &e));
	HOLDS(two >= sum && sum > 0);
	npu->unload(bench.d, pair[1]);
	npu_bench_close();
}

static void buffers(void)
{
	npu_bench_open();
	HOLDS(is_harmed(bench.tensors[0], DEVICE_UNHARMED));
	HOLDS(is_harmed(bench.tensors[1], DEVICE_UNHARMED));
	HOLDS(npu->write(bench.d, bench.tensors[0], bench.data, BYTES + 1, &e) == ASC_LIMIT);
	HOLDS(npu->address(NULL) == NULL);
	WORKS(npu_bench_bind(N + 1, BLOCKS, 1, &e)); /* writes one element past the end */
	WORKS(npu_bench_launch(1, &e));
	HOLDS(is_harmed(bench.tensors[1], DEVICE_STRAY));
	HOLDS(is_harmed(bench.tensors[0], DEVICE_UNHARMED));
	npu_bench_close();
}

/* Memory of the host is read, written and looked at as the device's; the host has its address. */
static void buffers_of_host(void)
{
	struct device_buffer *host = NULL;
	float back[N];

	npu_bench_open();
	WORKS(npu->alloc_host(bench.d, BYTES, &host, &e));
	if (!host)
		return;
	HOLDS((uintptr_t)npu->address(host) % 64 == 0);
	WORKS(npu->write(bench.d, host, bench.data, BYTES, &e));
	HOLDS(memcmp(npu->address(host), bench.data, BYTES) == 0);
	WORKS(npu->read(bench.d, host, back, BYTES, &e));
	HOLDS(memcmp(back, bench.data, BYTES) == 0);
	WORKS(npu->protect(bench.d, host, true, &e));
	HOLDS(is_harmed(host, DEVICE_UNHARMED));
	*(char *)npu->address(host) ^= 1;
	HOLDS(is_harmed(host, DEVICE_CHANGED));
	WORKS(npu->fill(bench.d, host, 0x5A, &e));
	HOLDS(is_harmed(host, DEVICE_UNHARMED) && *(char *)npu->address(host) == 0x5A);
	((char *)npu->address(host))[BYTES] ^= 1;
	HOLDS(is_harmed(host, DEVICE_STRAY));
	npu->release(bench.d, host);
	WORKS(npu->alloc_host(bench.d, 2 * NPU_PIECE_BYTES, &host, &e));
	WORKS(npu->fill(bench.d, host, 1, &e));
	WORKS(npu->protect(bench.d, host, true, &e));
	*(char *)npu->address(host) ^= 1; /* in the first piece of what is read at once */
	HOLDS(is_harmed(host, DEVICE_CHANGED));
	npu->release(bench.d, host);
	npu_bench_close();
}

/* Copies once, to the device. */
static void writes(void)
{
	npu_bench_open(); /* a tensor is written, another is filled */
	npu_bench_close();
}

static void protects(void)
{
	npu_bench_open();
	WORKS(npu->protect(bench.d, bench.tensors[1], true, &e));
	WORKS(npu->write(bench.d, bench.tensors[1], bench.data, BYTES, &e));
	HOLDS(is_harmed(bench.tensors[1], DEVICE_UNHARMED));
	WORKS(npu_bench_bind(N, BLOCKS, 1, &e));
	WORKS(npu_bench_launch(1, &e));
	HOLDS(is_harmed(bench.tensors[1], DEVICE_CHANGED));
	npu_bench_close();
}

static void *take_over(void *unused)
{
	WORKS(npu->attach(bench.d, &e));
	WORKS(npu_bench_bind(N, BLOCKS, 1, &e));
	WORKS(npu_bench_launch(1, &e));
	WORKS(npu->wait(bench.d, &e));
	HOLDS(npu_bench_is_added());
	return unused;
}

/* The process's other thread takes the device over. */
static void moves(void)
{
	pthread_t other;

	npu_bench_open();
	HOLDS(pthread_create(&other, NULL, take_over, NULL) == 0 && pthread_join(other, NULL) == 0);
	npu_bench_close();
}

/* Queues launches that take long: most of their blocks have nothing to do. */
static void queue(void)
{
	WORKS(npu_bench_bind(N, 255, 257, &e));
	WORKS(npu_bench_launch(50, &e));
}

/* Queued work has ended before memory is read or written, and before it or a kernel is freed. */
static void waits(void)
{
	char out[BYTES], sevens[BYTES];

	memset(sevens, 7, sizeof sevens);
	npu_bench_open();
	queue();
	WORKS(npu->fill(bench.d, bench.tensors[1], 7, &e));
	WORKS(npu->read(bench.d, bench.tensors[1], out, BYTES, &e));
	HOLDS(memcmp(out, sevens, BYTES) == 0);
	queue();
	WORKS(npu->write(bench.d, bench.tensors[1], sevens, BYTES, &e));
	WORKS(npu->wait(bench.d, &e));
	WORKS(npu->read(bench.d, bench.tensors[1], out, BYTES, &e));
	HOLDS(memcmp(out, sevens, BYTES) == 0);
	queue();
	npu->release(bench.d, bench.tensors[1]);
	bench.tensors[1] = NULL;
	WORKS(npu->wait(bench.d, &e));
	npu_bench_close();
}

static void unloads(void)
{
	npu_bench_open();
	queue();
	npu->unload(bench.d, bench.k);
	bench.k = NULL;
	WORKS(npu->wait(bench.d, &e));
	npu_bench_close();
}

/* A runtime that another library of the process has begun is that one's to end. */
static void joins(void)
{
	GIVES(acl.init(NULL), 0);
	npu_bench_open();
	npu_bench_close();
	GIVES(acl.finalize(), 0);
}

/* ---- what is refused ---- */

static void refuses_grids(void)
{
	static const int64_t bad[][2] = {{0, 1}, {65536, 1}, {256, 256}, {-1, -1}, {1, 65536}};

	npu_bench_open();
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		HOLDS(npu_bench_bind(N, bad[i][0], bad[i][1], &e) == ASC_LIMIT);
		HOLDS(strstr(e.text, "coreDim") != NULL);
	}
	HOLDS(npu_bench_launch(1, &e) == ASC_USAGE);
	WORKS(npu_bench_bind(N, 255, 257, &e)); /* 65535 */
	npu_bench_close();
}

static void refuses_kernels(void)
{
	struct device_kernel *k;

	npu_bench_open();
	HOLDS(npu->load(bench.d, TWIN_ADD, "no_such_kernel", &k, &e) != ASC_OK && !k);
	HOLDS(strstr(e.text, TWIN_ADD) != NULL);
	HOLDS(npu->load(bench.d, "/no/such/kernel.o", "k", &k, &e) != ASC_OK && !k);
	HOLDS(!npu->lost(bench.d));
	npu_bench_close();
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

static const char *name_nothing(void)
{
	return NULL;
}

/* The function that older versions name the chip by is looked for, and is not here. */
static void lacks_older_name(void)
{
	struct device_info info;

	npu_bench_runtime()->soc_name = name_nothing;
	(void)setenv("ASCTUNE_CANN", "/no/such/cann", 1);
	HOLDS(npu->inspect(place, &info, &e) == ASC_ABSENT);
	HOLDS(strstr(e.text, "aclrtGetSocName names no NPU: ") == e.text);
	HOLDS(strstr(e.text, "/no/such/cann/lib64/libruntime.so") != NULL);
}

/* A vendor's own CANN is no stand-in. */
static void refuses_simulation(void)
{
	struct device_info info;

	npu_bench_runtime()->standin = NULL;
	HOLDS(npu->inspect(place, &info, &e) == ASC_USAGE);
	HOLDS(strcmp(e.text, "the CANN of npu:sim:Ascend910B3 is no stand-in") == 0);
	WORKS(npu->inspect("0", &info, &e));
	HOLDS(!info.simulated);
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
	npu_bench_open();
	WORKS(npu_bench_bind(N, BLOCKS, 1, &e));
	int64_t ns = 0;
	HOLDS(npu_bench_run((struct device_batch){.samples = 1, .launches = 1}, &ns, &e) == ASC_IO);
	HOLDS(strstr(e.text, "ACL_ERROR_RT_") && strstr(e.text, "(5070"));
	HOLDS(npu->lost(bench.d));
	enum device_harm harm;

	HOLDS(device_look(npu, bench.d, bench.tensors[1], &harm, &e) ==
	      ASC_IO); /* nor is that a harm */
	npu_bench_close();
}

static void runs_out_of_memory(void)
{
	struct device_buffer *more = NULL;

	WORKS(npu->open(place, &bench.d, &e));
	WORKS(npu->alloc(bench.d, BYTES, &bench.tensors[0], &e));
	HOLDS(npu->alloc(bench.d, BYTES, &more, &e) == ASC_NOMEM && !more);
	HOLDS(strstr(e.text, "no device memory for a buffer of") && strstr(e.text, "(207"));
	HOLDS(!npu->lost(bench.d));
	npu_bench_close();
}

static size_t set_bytes;

static int note_set(void *at, size_t room, int byte, size_t n, void *stream)
{
	(void)at, (void)room, (void)byte, (void)stream;
	set_bytes = n;
	return 0;
}

/* Twice the size of the cache, so that nothing of before stays. */
static void flushes(void)
{
	npu_bench_open();
	npu_bench_runtime()->set = note_set;
	WORKS(npu->flush(bench.d, NULL, &e));
	HOLDS(bench.d && set_bytes == 2 * (size_t)npu->info(bench.d)->facts.value[FACT_L2_BYTES]);
	npu_bench_close();
}

static int tell_number(uint32_t device, int info, int64_t *value)
{
	(void)device;
	*value = 1000 + info;
	return 0;
}

/* The older function has numbers of its own. */
static void asks_older_function(void)
{
	struct acl_runtime *runtime = npu_bench_runtime();
	struct device_info info;

	runtime->device_info = NULL;
	runtime->device_capability = tell_number;
	WORKS(npu->inspect(place, &info, &e));
	HOLDS(info.facts.value[FACT_PROCESSORS] == 1000 + NPU_DEVICE_INFO_AI_CORES);
	HOLDS(info.facts.value[FACT_VECTOR_CORES] == 1000 + NPU_DEVICE_INFO_VECTOR_CORES);
	HOLDS(info.facts.value[FACT_L2_BYTES] == 1000 + NPU_DEVICE_INFO_L2_BYTES);
}

static const struct npu_case cases[] = {
	{NULL, NULL, NULL, "is inspected", inspects},
	{"2022", NULL, NULL, "is inspected", inspects},
	{"split", NULL, NULL, "is inspected", inspects},
	{NULL, "version=9.1", NULL, "tells versions", tells_versions},
	{"2022", NULL, NULL, "tells versions", tells_one_version},
	{"2022", NULL, "mspti", "launches", npu_bench_check},
	{"2023", NULL, "mspti", "launches", npu_bench_check},
	{"2025", NULL, "mspti", "launches", npu_bench_check},
	{"split", NULL, "mspti", "launches", npu_bench_check},
	{NULL, "soc=Ascend950PR_9579", NULL, "launches", npu_bench_check},
	{NULL, "soc=Ascend310B1", NULL, "launches", npu_bench_check},
	{NULL, NULL, NULL, "is handed over", moves},
	{NULL, NULL, NULL, "waits for what is queued", waits},
	{NULL, NULL, NULL, "unloads what has ended", unloads},
	{NULL, NULL, NULL, "has launches of several kernels", sequences},
	{NULL, NULL, NULL, "looks at buffers", buffers},
	{NULL, NULL, NULL, "notices changed inputs", protects},
	{NULL, NULL, NULL, "refuses grids", refuses_grids},
	{NULL, NULL, NULL, "refuses kernels", refuses_kernels},
	{"2025", NULL, NULL, "refuses kernels", refuses_kernels},
	{NULL, "soc=Ascend910A", NULL, "is refused", refuses_first_generation},
	{NULL, "fault=err=507008@1", NULL, "is refused", refuses_runtimes},
	{"2022", "fault=err=507033@3", NULL, "does not say what it is", is_nameless},
	{NULL, NULL, NULL, "does not say what it is", lacks_older_name},
	{NULL, NULL, NULL, "refuses a simulation", refuses_simulation},
	{NULL, NULL, NULL, "is missing", refuses_half},
	{NULL, "fault=aicore=1", "mspti", "breaks", breaks},
	{NULL, "fault=aicore=1", "event", "breaks", breaks},
	{NULL, "fault=oom=2", NULL, "has no memory left", runs_out_of_memory},
	{NULL, NULL, NULL, "flushes the whole cache", flushes},
	{NULL, NULL, NULL, "asks an older runtime", asks_older_function},
};

/* ---- which functions it calls ---- */

/* The newest function of a kind alone is called. */
static void check_functions(void)
{
	static const struct {
		const char *folder, *event, *wait;
	} known[] = {
		{"2022", " aclrtCreateEvent ", " aclrtSynchronizeStream "},
		{"2023", " aclrtCreateEventWithFlag ", " aclrtSynchronizeStreamWithTimeout "},
		{"2025", " aclrtCreateEventExWithFlag ", " aclrtSynchronizeStreamWithTimeout "},
		{"head", " aclrtCreateEventExWithFlag ", " aclrtSynchronizeStreamWithTimeout "},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		npu_case_run(&(struct npu_case){known[i].folder, NULL, "event", "launches",
						npu_bench_check});
		tap_int(standin_case_count(known[i].event), standin_case_count(" aclrtCreateEvent"),
			"%s: events are made by%s", known[i].folder, known[i].event);
		tap_int(standin_case_count(known[i].wait),
			standin_case_count(" aclrtSynchronizeStream"), "%s: waits are%s",
			known[i].folder, known[i].wait);
		tap_ok(standin_case_count(known[i].event) > 0 &&
			       standin_case_count(known[i].wait) > 0,
		       "%s: there are some", known[i].folder);
	}
}

static void check_range(void)
{
	npu_case_run(&(struct npu_case){NULL, NULL, "mspti", "launches", npu_bench_check});
	tap_int(standin_case_count(" aclFinalize 0"), 1, "the runtime ends once");
	tap_int(standin_case_count(" mstxRangeStartA "), 1,
		"launches of a kernel are in one range");
	tap_int(standin_case_count(" mstxRangeEnd "), 1, "that ends");
	tap_int(standin_case_count("add_one libtwin_add.so"), 1, "it names entry and artifact");
}

/* Nothing is computed from what may be written. */
static void check_written(void)
{
	npu_case_run(&(struct npu_case){NULL, NULL, NULL, "writes and fills", writes});
	tap_int(standin_case_count(" aclrtMemcpy "), 1, "what is written is not read back");
}

static void check_host(void)
{
	npu_case_run(&(struct npu_case){NULL, NULL, NULL, "buffers of the host", buffers_of_host});
	tap_int(standin_case_count(" aclrtMallocHost 0"), 2, "pinned memory is the runtime's");
	tap_int(standin_case_count(" aclrtFreeHost 0"), 2, "and is given back");
}

static void check_joined(void)
{
	npu_case_run(&(struct npu_case){NULL, NULL, NULL, "joins what has begun", joins});
	tap_int(standin_case_count(" aclInit "), 2, "the runtime is begun by two");
	tap_int(standin_case_count(" aclFinalize "), 1, "and ended by the first");
}

int main(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		npu_case_run(&cases[i]);
	check_functions();
	check_range();
	check_written();
	check_host();
	check_joined();
	return tap_done();
}

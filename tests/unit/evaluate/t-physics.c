/* Least work and limits of devices, with facts that are written here; times below them are
 * impossible. An H200: 3201 MHz, two transfers a cycle on 6144 bits, are 4.916736 TB/s (NVIDIA
 * states 4.8); 132 multiprocessors of 4096 FLOPs a cycle at 1980 MHz are 1.0705 PFLOP/s of f16.
 * covers: physics.c */
#include "tuner/tune/evaluate/physics.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"
#include "tuner/result/roofline.h"
#include "tuner/workload/binding/binding.h"

#define PATH TEST_DATA "/cli/workloads/axpy.json"

static const double BUS = 2 * 3201e6 * 6144 / 8, TENSOR = 132 * 4096.0 * 1980e6;
static const int64_t L2 = 50 << 20;

/* A workload of one f32 or f16 input and one output of N elements each. */
struct scene {
	const char *keys;    /* further keys of the workload, each with a comma behind it */
	const char *tensors; /* further tensors, each with a comma before it */
	const char *x;       /* more of the tensor x */
	const char *given;   /* the argument x, and whatever comes before y */
	const char *reference;
	const char *type;
	int64_t n;
	enum cache_policy cache;
};

static struct device_info gpu;
static struct asc_err e;

static void fill_gpu(void)
{
	facts_set(&gpu.facts, FACT_COMPUTE_CAPABILITY, 90);
	facts_set(&gpu.facts, FACT_PROCESSORS, 132);
	facts_set(&gpu.facts, FACT_CLOCK_MHZ, 1980);
	facts_set(&gpu.facts, FACT_MEMORY_CLOCK_MHZ, 3201);
	facts_set(&gpu.facts, FACT_L2_BYTES, L2);
	gpu.memory_bus_bits = 6144;
	gpu.most_mhz = 1980;
}

static struct physics find(const struct scene *s, const struct device_info *info,
			   const struct peaks *peaks)
{
	const char *const given = s->given ? s->given : "{\"tensor\": \"x\"}";
	static const struct peaks none;
	struct physics out = {.least_ns = -1};
	struct workload *w = NULL;
	struct binding b = {0};
	struct buf t = {0};

	buf_print(&t,
		  "{\"asctune\": 1, \"name\": \"w\", %s"
		  "\"problems\": [{\"name\": \"p\", \"dims\": {\"N\": %lld}}],"
		  "\"tensors\": {\"x\": {\"shape\": [\"N\"], \"dtype\": \"%s\", \"role\": \"in\","
		  " %s \"fill\": {\"kind\": \"normal\", \"mean\": 0, \"std\": 1}}, "
		  "\"y\": {\"shape\": [\"N\"], \"dtype\": \"f32\", \"role\": \"out\","
		  " \"verify\": {\"kind\": \"allclose\", \"tolerance\":"
		  " {\"f32\": {\"atol\": 1e-6, \"rtol\": 1e-6}}}} %s},"
		  "\"reference\": %s, \"implementations\": [{\"name\": \"loop\","
		  " \"devices\": [\"cpu\"], \"builder\": \"cc\", \"source\": \"axpy/kernel.c\","
		  " \"entry\": \"axpy\", \"arguments\": [%s, {\"tensor\": \"y\"}]}]}",
		  s->keys ? s->keys : "", (long long)s->n, s->type ? s->type : "f32",
		  s->x ? s->x : "", s->tensors ? s->tensors : "",
		  s->reference ? s->reference
			       : "{\"source\": \"axpy/reference.c\", \"entry\": \"axpy_reference\","
				 " \"arguments\": [{\"tensor\": \"x\"}, {\"tensor\": \"y\"}]}",
		  given);
	if (tap_ok(workload_parse(PATH, buf_str(&t), t.len, &w, &e) == ASC_OK &&
			   binding_init(&b, w, w->problems, "cpu", &info->facts, &e) == ASC_OK,
		   "bound%s%s", e.status ? ": " : "", e.status ? e.text : ""))
		physics_find(&b, info, s->cache, peaks ? peaks : &none, &out);
	binding_fini(&b);
	workload_close(w);
	buf_fini(&t);
	return out;
}

/* Judges three samples of so many ns each. */
static bool is_impossible(const struct physics *p, int64_t ns, struct result *r)
{
	int64_t samples[] = {ns, ns, ns};

	*r = (struct result){.status = RESULT_OK, .samples = samples, .n_samples = 3};
	tap_int(result_summarize(r, &e), ASC_OK, "three samples of %lld ns", (long long)ns);
	const bool is = physics_judge(p, r);

	tap_ok(is == (r->status == RESULT_IMPOSSIBLE), "the status says so");
	r->samples = NULL;
	return is;
}

enum { N = 1 << 22 }; /* 16.8 MB of f32, which the cache holds as outputs */

static void test_memory(void)
{
	const struct scene plain = {.n = N}, wide = {.n = 16 * (int64_t)N};
	struct physics p = find(&plain, &gpu, NULL);
	struct result r;

	tap_real(p.memory, BUS, 1, "bus times clock");
	tap_real(p.bytes, 4.0 * N, 0, "the input once; the output may stay in the cache");
	tap_int(p.least_ns, (int64_t)(4e9 * N / BUS), "3.4 us");
	tap_ok(!is_impossible(&p, p.least_ns, &r), "nothing is faster than that");
	tap_ok(is_impossible(&p, 3200, &r), "what is");
	tap_str(r.reason, "3.2 us, where 16.78 MB at 4.917 TB/s take 3.412 us", "has a reason");
	result_fini(&r);
	r = (struct result){.status = RESULT_OK};
	tap_ok(!physics_judge(&p, &r), "without samples there is no time");
	p = find(&wide, &gpu, NULL);
	tap_real(p.bytes, 2 * 64.0 * N - (double)L2, 0, "of more output the rest is written");
}

/* A kernel at 92 % of the limit, as the best ones are. */
static void test_planted(void)
{
	const struct scene
		plain = {.n = N},
		twice = {.n = N, .keys = "\"least\": {\"bytes\": \"2 * sizeof(x)\"},"},
		nothing = {.n = N, .keys = "\"least\": {\"bytes\": 0},"},
		product = {.n = N,
			   .type = "f16",
			   .keys = "\"least\": {\"flops\": \"1024 * N\", \"bytes\": 0},"},
		doubled = {.n = N,
			   .type = "f16",
			   .keys = "\"least\": {\"flops\": \"2048 * N\", \"bytes\": 0},"};
	const int64_t honest = (int64_t)(4e9 * N / BUS / 0.92);
	const int64_t computed = (int64_t)(1024e9 * N / TENSOR / 0.75);
	struct physics p = find(&plain, &gpu, NULL);
	struct result r;

	tap_ok(!is_impossible(&p, honest, &r), "it is possible");
	tap_ok(is_impossible(&p, honest / 2, &r), "by a clock at half its rate it is not");
	result_fini(&r);
	p = find(&twice, &gpu, NULL);
	tap_ok(is_impossible(&p, honest, &r), "nor for twice the work");
	result_fini(&r);
	p = find(&nothing, &gpu, NULL);
	tap_int(p.least_ns, 0, "a workload may state that there is none");
	p = find(&product, &gpu, NULL);
	tap_real(p.arithmetic, TENSOR, 1, "f16 of 132 multiprocessors");
	tap_ok(!is_impossible(&p, computed, &r), "three quarters of it are possible");
	tap_ok(is_impossible(&p, computed / 2, &r), "one and a half are not");
	tap_has(r.reason, "us, where 4.295 GFLOP at 1.071 PFLOP/s take 4.011 us", "the reason");
	result_fini(&r);
	p = find(&doubled, &gpu, NULL);
	tap_ok(is_impossible(&p, computed, &r), "nor for twice the work");
	result_fini(&r);
}

/* What may be read in part does not count. */
static void test_in_part(void)
{
	static const char *const more =
		", \"i\": {\"shape\": [4], \"dtype\": \"i32\", \"role\":"
		" \"in\", \"fill\": {\"kind\": \"index\", \"modulo\": \"N\"}}";
	static const struct {
		struct scene scene;
		double bytes;
		const char *why;
	} all[] = {
		{{.n = N, .keys = "\"bytes\": \"sizeof(x) // 2 + sizeof(y)\","},
		 2.0 * N,
		 "by the workload's own bytes, less an output that stays"},
		{{.n = N, .keys = "\"bytes\": \"3 * sizeof(x)\","},
		 4.0 * N,
		 "by the tensors where these are less"},
		{{.n = N, .keys = "\"bytes\": \"sizeof(y) // 2\","}, 0, "never below 0"},
		{{.n = N, .cache = CACHE_HOT}, 0, "hot caches may have all of it"},
		{{.n = 16 * (int64_t)N, .cache = CACHE_HOT},
		 2 * (64.0 * N - (50 << 20)),
		 "or a part of it, before and behind"},
		{{.n = N, .x = "\"strides\": [0],"}, 4, "elements in one place"},
		{{.n = N, .given = "{\"scalar\": 1, \"type\": \"i64\"}"}, 0, "not given to it"},
		{{.n = N, .given = "{\"tensor\": \"x\", \"shape\": [2]}"}, 0, "a view of it"},
		{{.n = N, .reference = "\"configuration\""}, 0, "of a captured program"},
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		tap_real(find(&all[i].scene, &gpu, NULL).bytes, all[i].bytes, 0, "%s", all[i].why);
	tap_real(find(&(struct scene){.n = N, .tensors = more}, &gpu, NULL).bytes, 0, 0,
		 "an input beside indices");
	tap_real(find(&(struct scene){.n = N, .tensors = more, .keys = "\"bytes\": \"2 * N\","},
		      &gpu, NULL)
			 .bytes,
		 0, 0, "with bytes below the output's");
}

static void put(struct peaks *p, const char *unit, const char *type, double rate, int64_t moments)
{
	struct peak *row = peaks_row(p, unit, type);

	row->rate = rate;
	row->moments = moments;
}

static void test_measured(void)
{
	const struct scene work = {
		.n = N, .keys = "\"least\": {\"flops\": \"1024 * N\", \"bytes\": \"sizeof(x)\"},"};
	struct device_info cpu = {.shares_host = true}, newer = gpu, odd = gpu, model = gpu;
	struct peaks busy = {0}, few = {0}, enough = {0}, high = {0};
	struct physics p = find(&work, &cpu, NULL);

	facts_set(&cpu.facts, FACT_THREADS, 2);
	facts_set(&cpu.facts, FACT_LLC_BYTES, 32 << 20);
	tap_int(p.least_ns, 0, "no peak, no verdict");
	put(&few, PEAK_MEMORY, "", 30e9, 14);
	put(&few, PEAK_ARITHMETIC, "f32", 1e12, 14);
	p = find(&work, &cpu, &few);
	tap_real(p.memory, 2 * 30e9 * 1.25 * 4 / 3, 1, "of few moments, twice that");
	tap_real(p.arithmetic, 2 * 1.25e12, 1, "in both");
	put(&busy, PEAK_ARITHMETIC, "f32", 1e12, 0);
	put(&busy, PEAK_MEMORY, "", 30e9, 0);
	p = find(&work, &cpu, &busy);
	tap_int(p.least_ns, 0, "of busy moments alone, no verdict");
	put(&busy, PEAK_MEMORY, PEAK_THREAD, 10e9, 0);
	tap_real(find(&work, &cpu, &busy).memory, 4 * 30e9 * 1.25 * 4 / 3, 1,
		 "where one thread's rate is known, four times that");
	put(&busy, PEAK_MEMORY, PEAK_THREAD, 40e9, 0);
	p = find(&work, &cpu, &busy);
	tap_real(p.memory, 4 * 80e9 * 1.25 * 4 / 3, 1, "two threads at that rate are more");
	tap_real(p.arithmetic, 0, 0, "of arithmetic there is none");
	put(&enough, PEAK_MEMORY, "", 30e9, 15);
	put(&enough, PEAK_ARITHMETIC, "f32", 1e12, 15);
	p = find(&work, &cpu, &enough);
	tap_real(p.memory, 30e9 * 1.25 * 4 / 3, 1, "a quarter more, and what stores read");
	tap_real(p.arithmetic, 1.25e12, 1, "a quarter more");
	newer.facts.value[FACT_COMPUTE_CAPABILITY] = 120;
	newer.memory_bus_bits = 0;
	p = find(&work, &newer, &enough);
	tap_real(p.memory, 1.25 * 30e9, 1, "of a GPU that is not known as well");
	tap_real(p.arithmetic, 1.25e12, 1, "in both");
	odd.most_mhz = 0;
	tap_real(find(&work, &odd, NULL).arithmetic, 1.25 * 132 * 2048 * 1980e6, 1e6,
		 "a nominal clock is exceeded");
	put(&high, PEAK_MEMORY, "", 5e12, 15);
	tap_real(find(&work, &gpu, &high).memory, 1.25 * 5e12, 1,
		 "a driver that is refuted by a measurement does not count");
	model.simulated = true;
	tap_int(find(&work, &model, &enough).least_ns, 0, "a model has no limits");
}

static void test_wanted(void)
{
	const struct scene plain = {.n = N}, small = {.n = 20000},
			   work = {.n = 20000, .keys = "\"least\": {\"flops\": \"N\"},"};
	struct device_info cpu = {.shares_host = true}, model = {.simulated = true};
	struct peaks known = {0};
	struct physics p = find(&plain, &cpu, NULL);

	put(&known, PEAK_MEMORY, "", 30e9, 1);
	tap_ok(physics_wants_peaks(&p), "16.8 MB and no peak");
	p = find(&plain, &cpu, &known);
	tap_ok(!physics_wants_peaks(&p), "a peak is known");
	p = find(&plain, &gpu, NULL);
	tap_ok(!physics_wants_peaks(&p), "the driver tells it");
	p = find(&small, &cpu, NULL);
	tap_ok(!physics_wants_peaks(&p), "80 kB are soon read");
	p = find(&work, &cpu, &known);
	tap_ok(physics_wants_peaks(&p), "of arithmetic none is known");
	p = find(&plain, &model, NULL);
	tap_ok(!physics_wants_peaks(&p), "a model has none");
}

int main(void)
{
	fill_gpu();
	test_memory();
	test_planted();
	test_in_part();
	test_measured();
	test_wanted();
	return tap_done();
}

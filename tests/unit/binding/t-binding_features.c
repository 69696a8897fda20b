/* Features that workloads give a configuration beside its parameters, worked out by hand.
 * covers: binding_features.c */
#include "tuner/workload/binding/binding_features.h"

#include "tests/tap.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/space/config.h"

enum { MOST = 12 };

static struct asc_err e;

/* Writes the numbers of one configuration; 0: there are none. */
static size_t tell(const char *workload, const char *problem, const char *implementation,
		   const char *device, const char *text, size_t most, double out[MOST])
{
	const struct facts facts = {0};
	struct binding_features *f = NULL;
	struct workload *w = NULL;
	struct binding b;
	struct config c = {0};
	size_t n = 0;

	if (!tap_int(workload_open(workload, &w, &e), ASC_OK, "%s", workload))
		return 0;
	const struct implementation *i = workload_find_implementation(w, implementation);
	const char *names[CONFIG_MAX_PARAMETERS + 1] = {0};

	for (size_t k = 0; k < i->n_parameters; k++)
		names[k] = i->parameters[k].name;
	tap_int(binding_init(&b, w, workload_find_problem(w, problem), device, &facts, &e), ASC_OK,
		"%s", problem);
	if (tap_int(binding_features_new(&b, i, most, &f, &e), ASC_OK, "%s", implementation) &&
	    tap_int(config_parse(text, names, i->n_parameters, &c, &e), ASC_OK, "%s", text)) {
		n = binding_features_count(f);
		binding_features_get(f, &c, out);
	}
	binding_features_free(f);
	binding_fini(&b);
	workload_close(w);
	return n;
}

static void test_gpu(void)
{
	static const char config[] = "BLOCK_M=64,BLOCK_N=128,BLOCK_K=16,THREAD_M=4,THREAD_N=8,"
				     "STAGES=2,VECTOR=2,GROUP=1";
	double told[MOST];

	if (tap_int(tell(PROJECT_ROOT "/workloads/gemm.json", "square-512", "simt", "cuda", config,
			 MOST, told),
		    2, "threads and blocks")) {
		tap_real(told[0], 16 * 16, 0, "threads of a block: 64 / 4 times 128 / 8");
		tap_real(told[1], 8 * 4, 0, "blocks: 512 / 64 times 512 / 128");
	}
	tap_int(tell(PROJECT_ROOT "/workloads/gemm.json", "square-512", "simt", "cuda", config, 1,
		     told),
		1, "no more than are wanted");
}

static void test_cpu(void)
{
	double told[MOST];

	if (tap_int(tell(PROJECT_ROOT "/workloads/gemm.json", "odd", "packed", "cpu",
			 "BLOCK_M=48,BLOCK_N=192,BLOCK_K=128,ROWS=4,VECTORS=2,UNROLL=1,THREADS=2",
			 MOST, told),
		    2, "blocks and scratch memory")) {
		tap_real(told[0], 3 * 3, 0, "blocks: 517 / 192 and 131 / 48, rounded up");
		tap_real(told[1], 4 * 2 * (48 * 128 + 192 * 128 + 48 * 192), 0,
			 "bytes of scratch memory");
	}
}

int main(void)
{
	test_gpu();
	test_cpu();
	return tap_done();
}

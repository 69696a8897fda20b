/* An Ascend NPU's device on the stand-in, with a kernel: to[i] = from[i] + 1. Each case has a
 * process of its own, since a process initialises the runtime once and a lost device stays lost. */
#ifndef ASCTUNE_TESTS_UNIT_DEVICE_NPU_BENCH_H
#define ASCTUNE_TESTS_UNIT_DEVICE_NPU_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/standin/standin_case.h"
#include "tuner/device/device.h"

enum { NPU_BENCH_N = 2500, NPU_BENCH_BYTES = NPU_BENCH_N * 4, NPU_BENCH_BLOCKS = 3 };

struct npu_case {
	const char *folder, *control, *clock; /* of the stand-in; NULL: what it is without */
	const char *name;
	void (*run)(void);
};

/* Runs a case and asserts that nothing failed there; without a fault, also that nothing was done
 * that no caller may do, and that all that was made is gone. The log is standin_case_log(). */
void npu_case_run(const struct npu_case *c);

/* A check of a case; of a call that takes &e, with its message. */
#define WORKS(call) standin_hold((call) == ASC_OK, __FILE__, __LINE__, e.text)

struct npu_bench {
	struct device *d;
	struct device_kernel *k;
	struct device_buffer *tensors[2]; /* from, to */
	struct plan plan;
	float data[NPU_BENCH_N]; /* of the first tensor: 0, 1, 2 and so on */
};

extern struct npu_bench bench;

/* Opens the device, fills the tensors and loads the kernel, unbound. */
void npu_bench_open(void);
void npu_bench_close(void);

/* Binds the kernel to the first `n` elements, in a grid of x times y blocks. */
enum asc_status npu_bench_bind(int64_t n, int64_t x, int64_t y, struct asc_err *e);
enum asc_status npu_bench_launch(int64_t n, struct asc_err *e);
enum asc_status npu_bench_run(struct device_batch batch, int64_t *ns, struct asc_err *e);

/* True when the kernel has computed the second tensor. */
bool npu_bench_is_added(void);

/* Opens, launches in each way, timed, cold and untimed, checks times and what is computed, and
 * closes. */
void npu_bench_check(void);

/* The table of the runtime's functions, to be changed in this process. */
struct acl_runtime *npu_bench_runtime(void);

#endif

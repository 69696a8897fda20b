/* The target of a command: a device, and problems of a workload. */
#ifndef ASCTUNE_CMD_TARGET_H
#define ASCTUNE_CMD_TARGET_H

#include <argp.h>
#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/device/device.h"
#include "tuner/workload/limits/limits.h"

struct problem;
struct workload;

#define TARGET_DEVICE_HELP                                                                         \
	"auto, cpu, cuda[:N], npu[:N], or npu:sim:SOC for a stand-in of an Ascend SoC, whose "     \
	"times a model gives (default auto: the first usable); Intel's devices (xpu), AMD's "      \
	"(hip) and other NPUs are out of scope"
#define TARGET_DEVICES_HELP                                                                        \
	TARGET_DEVICE_HELP "; several of one model: cuda:0,2, cuda:all, npu:all, a stand-in "      \
			   "named again; each takes the next problem"
#define TARGET_PLAN_HELP                                                                           \
	"as for run, or a model that need not be here: sm_90, Ascend910B3, SuperscalarNPU "        \
	"(asctune list devices --all)"
#define TARGET_PROBLEM_HELP                                                                        \
	"a problem's name, that of a ladder, that of recorded sizes (square.N300), or all; may "   \
	"be repeated (default: those meant for this kind of device)"

enum { TARGET_MAX_PROBLEMS = 64, TARGET_WHY_SIZE = 1024 };

struct problem_choice { /* names as --problem gave them, borrowed */
	const char *names[TARGET_MAX_PROBLEMS];
	size_t n;       /* 0: the problems meant for the kind of device */
	bool of_folder; /* for several workloads: each name need not be in each of them */
};

/* Adds one more --problem; for a parser. */
void problem_choice_add(struct problem_choice *c, struct argp_state *state, const char *name);
bool problem_choice_has(const struct problem_choice *c,
			const char *name); /* of a recorded problem; true for all, too */
bool problem_choice_names(const struct problem_choice *c,
			  const struct problem *p); /* by its own name, or its ladder's */

struct target {
	const struct device_ops *ops;
	char place[DEVICE_PLACE_SIZE]; /* place among several devices of that class, as in
					  device_ops */
	struct device_info info;
	bool limited; /* the device is a known model, with these limits: */
	struct limits limits;
	char why[TARGET_WHY_SIZE]; /* the device, and why it was chosen */
};

/* Opens a device by its name (NULL: auto) in another process, which has the device's environment.
 */
enum asc_status target_open(const char *device, struct target *out, struct asc_err *e);

/* Opens n > 0 devices of one kind, each as target_open() does; where they need no environment of
 * their own one process asks their driver, which wakes once. */
enum asc_status target_open_each(const char *const *devices, size_t n, struct target *out,
				 struct asc_err *e);

/* Answers a program that does so. */
enum asc_status target_answer(const char *device, struct asc_err *e);

/* Opens a target like target_open(), or finds a model that is not here (sm_90, Ascend910B3): ops
 * then only state its class. A common name for a model brings a notice. */
enum asc_status target_plan(const char *device, struct target *out, struct asc_err *e);

/* Limits for struct binding; NULL when unknown. */
const struct limits *target_limits(const struct target *t);

/* Finds the versions of the compilers that are at hand for the target, an Ascend SoC, as tables of
 * verdicts have them: "triton-ascend 3.2.0, bishengir-compile 1.2.0". *out is a heap string, NULL:
 * there are none. Only ASC_NOMEM fails. */
enum asc_status target_find_planner(const struct target *t, char **out, struct asc_err *e);

/* Uses the workload's tables of verdicts for the target (workload_use_verdicts). */
enum asc_status target_use_verdicts(const struct target *t, struct workload *w, struct asc_err *e);

bool target_wants(const struct target *t, const struct problem *p, const struct problem_choice *c);

/* Adds to `w` what the choice names as it is recorded, an entry of the file with sizes and types of
 * its own (ENTRY.M4.Tf16); names that mean nothing stay for target_check(). ASC_INPUT where such a
 * size is refused. */
enum asc_status target_add_problems(struct workload *w, const struct problem_choice *c,
				    struct asc_err *e);

/* Adds problems like target_add_problems() and checks the choice. ASC_NOTFOUND if it names a
 * problem that `w` lacks: the message lists the problems of `w`. ASC_ABSENT if it leaves none. */
enum asc_status target_check(const struct target *t, struct workload *w,
			     const struct problem_choice *c, const char *implementation,
			     struct asc_err *e);

#endif

/* A kernel on its way to an artifact: a call of a configuration, or a function of the workload. Its
 * steps are the verdict of an NPU's memory planner, where one is asked, and the build of what runs.
 *
 * The caller owns the storage, zeroed and not moved while it builds: kernel_build_start(), then
 * kernel_build_take() of the pool's answer; kernel_build_fini() cancels what is still to come. */
#ifndef ASCTUNE_TUNE_EVALUATE_KERNEL_BUILD_H
#define ASCTUNE_TUNE_EVALUATE_KERNEL_BUILD_H

#include "tuner/base/err.h"
#include "tuner/build/artifact.h"
#include "tuner/build/verdict.h"
#include "tuner/tune/evaluate/kernel_request.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/workload.h"

struct builder_ops;
struct pool;
struct pool_done;
struct trial;

/* Time limit of a build: far more than any compiler takes, so that only a hanging one is killed. */
#define KERNEL_BUILD_LIMIT_NS INT64_C(300000000000)

enum kernel_build_state {
	KERNEL_IDLE,
	KERNEL_PLANNING, /* with the pool: the planner is asked */
	KERNEL_BUILDING, /* with the pool */
	KERNEL_BUILT,
	KERNEL_PLANNED, /* its builder plans: there is a verdict and no file */
	KERNEL_FAILED
};

struct kernel_build {
	/* Set by the owner. */
	struct trial *trial; /* trial whose call it is; NULL: a function of the workload */
	const struct builder_ops *builder;
	struct kernel_source source;
	struct plan plan;
	const struct builder_ops *planner; /* asked about `planned` first; NULL: nobody is */
	struct callable planned;           /* the kernel that a twin stands for */

	enum kernel_build_state state;
	struct verdict verdict; /* of the planner, or of a builder that plans; NONE: none */
	struct artifact artifact;
};

/* Gives the source to the planner or the builder: PLANNING, BUILDING, or BUILT where there is
 * nothing to build. */
enum asc_status kernel_build_start(struct kernel_build *k, struct pool *pool, struct asc_err *e);

/* Takes the pool's answer: BUILDING behind the planner's, unless that is a refusal; else BUILT,
 * PLANNED or FAILED, with the artifact of `done`. A planner that has no verdict keeps nothing from
 * being built. Fails for trouble that is not the kernel's: a full disk. */
enum asc_status kernel_build_take(struct kernel_build *k, struct pool_done *done, struct pool *pool,
				  struct asc_err *e);

/* True while the pool has it. */
bool kernel_build_is_open(const struct kernel_build *k);

/* Cancels the build, if there is one (`pool` NULL: there is none), and forgets the artifact. */
void kernel_build_fini(struct kernel_build *k, struct pool *pool);

/* Forgets a build, which goes on for a later request or the cache (pool_leave()). */
void kernel_build_leave(struct kernel_build *k, struct pool *pool);

/* Finds the kernel of a submission to the pool. */
struct kernel_build *kernel_build_of(uint64_t id);

/* True when the file of an artifact that was built is gone, or has another content. */
bool kernel_build_is_lost(const struct kernel_build *k);

#endif

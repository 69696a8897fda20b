/* A kernel on its way to an artifact: a call of a configuration, or a function of the workload.
 *
 * The caller owns the storage, zeroed and not moved while it builds: kernel_build_start(), then
 * kernel_build_take() of the pool's answer; kernel_build_fini() cancels what is still to come. */
#ifndef ASCTUNE_TUNE_EVALUATE_KERNEL_BUILD_H
#define ASCTUNE_TUNE_EVALUATE_KERNEL_BUILD_H

#include "tuner/base/err.h"
#include "tuner/build/artifact.h"
#include "tuner/tune/evaluate/kernel_request.h"
#include "tuner/workload/binding/binding.h"

struct builder_ops;
struct pool;
struct pool_done;
struct trial;

enum kernel_build_state {
	KERNEL_IDLE,
	KERNEL_BUILDING, /* with the pool */
	KERNEL_BUILT,
	KERNEL_FAILED
};

struct kernel_build {
	/* Set by the owner. */
	struct trial *trial; /* trial whose call it is; NULL: a function of the workload */
	const struct builder_ops *builder;
	struct kernel_source source;
	struct plan plan;

	enum kernel_build_state state;
	struct artifact artifact;
};

/* Gives the source to the builder: BUILDING, or BUILT where there is nothing to build. */
enum asc_status kernel_build_start(struct kernel_build *k, struct pool *pool, struct asc_err *e);

/* Takes the pool's answer: BUILT or FAILED, with the artifact of `done`. Fails for trouble that is
 * not the kernel's: a full disk. */
enum asc_status kernel_build_take(struct kernel_build *k, struct pool_done *done,
				  struct asc_err *e);

/* Cancels the build, if there is one (`pool` NULL: there is none), and forgets the artifact. */
void kernel_build_fini(struct kernel_build *k, struct pool *pool);

/* Finds the kernel of a finished build. */
struct kernel_build *kernel_build_of(const struct pool_done *done);

/* True when the file of an artifact that was built is gone. */
bool kernel_build_is_lost(const struct kernel_build *k);

#endif

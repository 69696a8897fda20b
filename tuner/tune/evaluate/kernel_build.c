#include "tuner/tune/evaluate/kernel_build.h"

#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/pool.h"

static uint64_t id_of(const struct kernel_build *k)
{
	return (uint64_t)(uintptr_t)k;
}

struct kernel_build *kernel_build_of(const struct pool_done *done)
{
	const uintptr_t address = (uintptr_t)done->id;
	struct kernel_build *k;

	memcpy(&k, &address, sizeof address); /* analysers do not follow a cast */
	return k;
}

enum asc_status kernel_build_start(struct kernel_build *k, struct pool *pool, struct asc_err *e)
{
	struct build_request request;

	k->state = KERNEL_BUILT;
	if (!k->builder->command) {
		k->artifact = (struct artifact){.outcome = ARTIFACT_BUILT,
						.path = str_dup(k->source.call->source)};
		return k->artifact.path ? ASC_OK : asc_err_nomem(e);
	}
	kernel_request(k->builder, &k->source, &request);
	k->state = KERNEL_BUILDING;
	return pool_submit(pool, id_of(k), k->builder, &request, e);
}

enum asc_status kernel_build_take(struct kernel_build *k, struct pool_done *done, struct asc_err *e)
{
	k->state = KERNEL_FAILED;
	if (done->hopeless)
		return asc_err_set(e, done->trouble, "%s", done->reason ? done->reason : "");
	k->artifact = done->artifact;
	done->artifact = (struct artifact){0};
	if (k->artifact.outcome == ARTIFACT_BUILT)
		k->state = KERNEL_BUILT;
	return ASC_OK;
}

void kernel_build_fini(struct kernel_build *k, struct pool *pool)
{
	if (k->state == KERNEL_BUILDING && pool)
		pool_cancel(pool, id_of(k));
	k->state = KERNEL_IDLE;
	artifact_fini(&k->artifact);
}

bool kernel_build_is_lost(const struct kernel_build *k)
{
	return k->state == KERNEL_BUILT && k->builder->command && !file_exists(k->artifact.path);
}

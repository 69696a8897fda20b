#include "tuner/tune/evaluate/kernel_build.h"

#include <stdio.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/build/pool.h"

static uint64_t id_of(const struct kernel_build *k)
{
	return (uint64_t)(uintptr_t)k;
}

struct kernel_build *kernel_build_of(uint64_t id)
{
	const uintptr_t address = (uintptr_t)id;
	struct kernel_build *k;

	memcpy(&k, &address, sizeof address); /* analysers do not follow a cast */
	return k;
}

static enum asc_status build(struct kernel_build *k, struct pool *pool, struct asc_err *e)
{
	struct build_request request;

	k->state = KERNEL_BUILT;
	if (!k->builder->command) {
		k->artifact = (struct artifact){.outcome = ARTIFACT_BUILT,
						.path = kernel_artifact(&k->source)};
		return k->artifact.path ? ASC_OK : asc_err_nomem(e);
	}
	kernel_request(k->builder, &k->source, &request);
	k->state = KERNEL_BUILDING;
	return pool_submit(pool, id_of(k), k->builder, &request, e);
}

/* Says once why a kernel is not asked about: its configurations all have the same reason. */
static void warn_unasked(const struct asc_err *why)
{
	static struct asc_err said;

	if (strcmp(said.text, why->text) != 0)
		log_print(LOG_WARN, "the planner is not asked: %s", why->text);
	said = *why;
}

enum asc_status kernel_build_start(struct kernel_build *k, struct pool *pool, struct asc_err *e)
{
	struct kernel_source source = k->source;
	struct build_request request;

	if (!k->planner)
		return build(k, pool, e);
	source.call = &k->planned;
	kernel_request(k->planner, &source, &request);
	k->state = KERNEL_PLANNING;
	const enum asc_status s = pool_submit(pool, id_of(k), k->planner, &request, e);

	if (s != ASC_ABSENT && s != ASC_INPUT)
		return s;
	/* A kernel that the planner's interpreter cannot read has no verdict, and a twin all the
	 * same: a module imports what is not installed there. */
	warn_unasked(e);
	return build(k, pool, e);
}

enum asc_status kernel_build_take(struct kernel_build *k, struct pool_done *done, struct pool *pool,
				  struct asc_err *e)
{
	const bool asked = k->state == KERNEL_PLANNING;

	k->state = KERNEL_FAILED;
	if (done->hopeless)
		return asc_err_set(e, done->trouble, "%s", done->reason ? done->reason : "");
	if (asked || k->builder->plans)
		verdict_take(done, &k->verdict);
	if (asked && (k->verdict.kind == VERDICT_FITS || k->verdict.kind == VERDICT_NONE))
		return build(k, pool, e);
	k->artifact = done->artifact;
	done->artifact = (struct artifact){0};
	/* Equal modules are one program. */
	if (k->verdict.kind == VERDICT_FITS) {
		(void)snprintf(k->artifact.digest, sizeof k->artifact.digest, "%s",
			       k->verdict.program);
		(void)snprintf(k->artifact.runs, sizeof k->artifact.runs, "%s", k->verdict.program);
	}
	if (k->artifact.outcome == ARTIFACT_BUILT)
		k->state = KERNEL_BUILT;
	if (k->artifact.outcome == ARTIFACT_PLANNED)
		k->state = KERNEL_PLANNED;
	return ASC_OK;
}

bool kernel_build_is_open(const struct kernel_build *k)
{
	return k->state == KERNEL_PLANNING || k->state == KERNEL_BUILDING;
}

void kernel_build_fini(struct kernel_build *k, struct pool *pool)
{
	if (kernel_build_is_open(k) && pool)
		pool_cancel(pool, id_of(k));
	k->state = KERNEL_IDLE;
	verdict_fini(&k->verdict);
	artifact_fini(&k->artifact);
}

void kernel_build_leave(struct kernel_build *k, struct pool *pool)
{
	if (kernel_build_is_open(k))
		pool_leave(pool, id_of(k));
	kernel_build_fini(k, NULL);
}

bool kernel_build_is_lost(const struct kernel_build *k)
{
	if (k->state != KERNEL_BUILT || !k->artifact.path)
		return false;
	/* The digest of a program that was planned is not that of the file which stands for it. */
	return k->verdict.kind == VERDICT_FITS ? !file_exists(k->artifact.path)
					       : !artifact_holds(&k->artifact);
}

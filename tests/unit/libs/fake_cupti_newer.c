/* A libcupti of CUDA 13.2 where there is no driver: it dies in the first call. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/device/libs/cupti_abi.h"

#define X(member, symbol, parameters) unsigned symbol parameters;
CUPTI_LIST(X)
#undef X
unsigned CUPTI_NEXT(uint8_t *buffer, size_t bytes, void **record);
void cuptiProfilerHostGetSinglePassSets(void); /* CUPTI_NEWER */

static unsigned die(void)
{
	return raise(SIGSEGV) == 0;
}

unsigned cuptiGetVersion(uint32_t *version)
{
	*version = 130202;
	return die();
}

unsigned cuptiGetResultString(unsigned rc, const char **text)
{
	*text = "";
	return die() + rc;
}

unsigned cuptiActivityRegisterCallbacks(void (*requested)(uint8_t **, size_t *, size_t *),
					void (*completed)(struct CUctx_st *, uint32_t, uint8_t *,
							  size_t, size_t))
{
	return requested && completed ? die() : 1;
}

unsigned cuptiActivityEnable(unsigned kind)
{
	return die() + kind;
}

unsigned cuptiActivityDisable(unsigned kind)
{
	return die() + kind;
}

unsigned cuptiActivityFlushAll(uint32_t flag)
{
	return die() + flag;
}

unsigned cuptiFinalize(void)
{
	return die();
}

unsigned cuptiActivityGetNumDroppedRecords(struct CUctx_st *context, uint32_t stream, size_t *n)
{
	*n = context ? stream : 0;
	return die();
}

unsigned CUPTI_NEXT(uint8_t *buffer, size_t bytes, void **record)
{
	*record = buffer + bytes;
	return die();
}

void cuptiProfilerHostGetSinglePassSets(void)
{
	(void)die();
}

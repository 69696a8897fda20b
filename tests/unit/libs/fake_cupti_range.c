/* The range profiler of a libcupti that a test plays: chips GH100 and GB202, which have every
 * counter but those that begin with "no_", in FAKE_PASSES passes. */
#include <math.h>
#include <signal.h>
#include <string.h>

#include "tests/unit/libs/fake_cupti.h"
#include "tuner/device/libs/cupti_abi.h"

#define X(member, symbol, there, bytes) unsigned symbol(struct cupti_##member *p);
CUPTI_RANGE_LIST(X)
#undef X

static struct fake_profiler play;

/* State from one SetConfig to the next. */
static struct {
	size_t most, pass, kernels, rounds;
	bool configured, started;
} now;

void fake_cupti_play(const struct fake_profiler *how)
{
	play = *how;
	now.rounds = 0;
}

size_t fake_cupti_rounds(void)
{
	return now.rounds;
}

void fake_cupti_launch(size_t kernels)
{
	if (!now.started)
		return;
	if (play.dies_in_pass == now.pass + 1)
		(void)raise(SIGKILL);
	now.kernels = kernels > play.lost ? kernels - play.lost : 0;
	if (now.kernels > now.most) /* as the real one: those beyond are lost */
		now.kernels = now.most;
}

/* What a function answers that is called with a block of `size`: the code that the test wants, or
 * that of a wrong size, as the real one. */
static unsigned answer(const char *function, size_t size, size_t expected)
{
	if (play.refuse && strcmp(play.refuse, function) == 0)
		return play.rc;
	return size == expected ? 0 : 1;
}

#define ANSWER(member)                                                                             \
	do {                                                                                       \
		const unsigned rc = answer(__func__, p->size, member##_bytes);                     \
		if (rc)                                                                            \
			return rc;                                                                 \
	} while (0)

enum {
#define X(member, symbol, there, bytes) member##_bytes = (bytes),
	CUPTI_RANGE_LIST(X)
#undef X
};

/* ---- the host's side ---- */

static const char *const chips[] = {"GH100", "GB202"};
static int host, ranges; /* what handles point to */

unsigned cuptiProfilerHostGetSupportedChips(struct cupti_host_chips *p)
{
	ANSWER(host_chips);
	p->n = sizeof chips / sizeof *chips;
	p->names = chips;
	return 0;
}

unsigned cuptiProfilerHostInitialize(struct cupti_host_open *p)
{
	ANSWER(host_open);
	p->host = &host;
	return 0;
}

unsigned cuptiProfilerHostDeinitialize(struct cupti_host_close *p)
{
	ANSWER(host_close);
	return p->host == &host ? 0 : 1;
}

unsigned cuptiProfilerHostGetMetricProperties(struct cupti_host_metric *p)
{
	ANSWER(host_metric);
	return strncmp(p->name, "no_", 3) == 0 ? 17 : 0;
}

unsigned cuptiProfilerHostGetBaseMetrics(struct cupti_host_names *p)
{
	static const char *names[] = {"dram__bytes_read", "dram__bytes_write", "l1__bytes"};

	ANSWER(host_names);
	p->names = names;
	p->n = p->type == CUPTI_METRIC_COUNTER ? sizeof names / sizeof *names : 0;
	return 0;
}

/* One unknown name, or one that stands twice, spoils the object. */
unsigned cuptiProfilerHostConfigAddMetrics(struct cupti_host_add *p)
{
	ANSWER(host_add);
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->n; k++)
			if (strncmp(p->names[i], "no_", 3) == 0 ||
			    (i != k && strcmp(p->names[i], p->names[k]) == 0))
				return 1;
	return 0;
}

unsigned cuptiProfilerHostGetConfigImageSize(struct cupti_host_size *p)
{
	ANSWER(host_size);
	p->bytes = 16;
	return 0;
}

unsigned cuptiProfilerHostGetConfigImage(struct cupti_host_image *p)
{
	ANSWER(host_image);
	memset(p->image, 0xC0, p->bytes);
	return 0;
}

unsigned cuptiProfilerHostGetNumOfPasses(struct cupti_host_passes *p)
{
	ANSWER(host_passes);
	p->passes = FAKE_PASSES;
	return 0;
}

unsigned cuptiProfilerHostEvaluateToGpuValues(struct cupti_host_values *p)
{
	ANSWER(host_values);
	if (p->range >= now.kernels)
		return 1;
	for (size_t i = 0; i < p->n; i++) {
		const bool is_time = strcmp(p->names[i], "gpu__time_duration.sum") == 0;
		const double each = is_time ? 1000 : (double)strlen(p->names[i]);

		p->values[i] = play.nan && strcmp(play.nan, p->names[i]) == 0
				       ? NAN
				       : each * (double)(p->range + 1);
	}
	return 0;
}

/* ---- the target's side ---- */

unsigned cuptiProfilerInitialize(struct cupti_profiler_open *p)
{
	ANSWER(profiler_open);
	return 0;
}

unsigned cuptiProfilerDeviceSupported(struct cupti_supported *p)
{
	unsigned *const levels[] = {&p->all,          &p->architecture, &p->sli, &p->virtual,
				    &p->confidential, &p->cmp,          &p->wsl};

	ANSWER(supported);
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		*levels[i] = play.levels[i] ? play.levels[i] : 3;
	return 0;
}

unsigned cuptiDeviceGetChipName(struct cupti_chip *p)
{
	ANSWER(chip);
	p->name = play.chip ? play.chip : chips[0];
	return 0;
}

unsigned cuptiRangeProfilerEnable(struct cupti_range_enable *p)
{
	ANSWER(range_enable);
	p->ranges = &ranges;
	return 0;
}

unsigned cuptiRangeProfilerDisable(struct cupti_range_disable *p)
{
	ANSWER(range_disable);
	now.configured = false;
	return p->ranges == &ranges ? 0 : 1;
}

unsigned cuptiRangeProfilerGetCounterDataSize(struct cupti_range_size *p)
{
	ANSWER(range_size);
	if (p->nodes < p->most)
		return 1;
	p->bytes = 64 * p->most;
	return 0;
}

unsigned cuptiRangeProfilerCounterDataImageInitialize(struct cupti_range_image *p)
{
	ANSWER(range_image);
	memset(p->data, 0, p->bytes);
	now.kernels = 0;
	return 0;
}

unsigned cuptiRangeProfilerSetConfig(struct cupti_range_config *p)
{
	ANSWER(range_config);
	/* Auto ranges with user replay, of images that were made before. */
	if (p->range != 1 || p->replay != 3 || !p->image || *p->image != 0xC0 ||
	    p->data_bytes != 64 * p->most || p->levels != 1 || p->least_level != 1)
		return 7;
	now.most = p->most;
	now.pass = 0;
	now.configured = true;
	return 0;
}

unsigned cuptiRangeProfilerStart(struct cupti_range_start *p)
{
	ANSWER(range_start);
	/* The real one crashes the process. */
	if (!now.configured)
		(void)raise(SIGSEGV);
	now.rounds++;
	now.started = true;
	return 0;
}

unsigned cuptiRangeProfilerStop(struct cupti_range_stop *p)
{
	ANSWER(range_stop);
	now.started = false;
	now.pass++;
	p->complete = now.pass == FAKE_PASSES && !play.endless;
	p->pass = now.pass;
	return 0;
}

unsigned cuptiRangeProfilerDecodeData(struct cupti_range_decode *p)
{
	ANSWER(range_decode);
	p->dropped = play.dropped;
	return 0;
}

unsigned cuptiRangeProfilerGetCounterDataInfo(struct cupti_range_count *p)
{
	ANSWER(range_count);
	p->n = now.kernels;
	return 0;
}

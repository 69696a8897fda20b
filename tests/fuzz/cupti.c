/* Any bytes as CUPTI's records, which a libcupti of the tests hands back: those of kernels are
 * given in the order of their launches, each once, or none where CUPTI dropped some.
 * covers: cupti.c */
#include "tuner/device/libs/cupti.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/target.h"
#include "tests/unit/libs/fake_cupti.h"

typedef void give_fn(const struct fake_records *records, size_t n_lost);

static give_fn *open_once(void)
{
	static give_fn *give;
	struct asc_err e;

	if (give)
		return give;
	if (setenv("ASCTUNE_CUPTI", FAKE_CUPTI, 1) != 0 || cupti_start(&e))
		abort();
	void *symbol = dlsym(dlopen(FAKE_CUPTI, RTLD_NOW | RTLD_NOLOAD), "fake_cupti_give");

	memcpy(&give, &symbol, sizeof give);
	if (!give)
		abort();
	return give;
}

/* Sums of the members of all kernels: they tell whether each came once, and whole. */
struct sums {
	size_t n;
	uint64_t start, end, correlation;
};

static void add(struct sums *s, const struct cupti_kernel *k)
{
	s->n++;
	s->start += k->start;
	s->end += k->end;
	s->correlation += k->correlation;
}

static struct sums sum_given(const struct fake_records *r)
{
	struct sums s = {0};

	for (size_t i = 0; i < r->n; i++) {
		const uint8_t *at = r->data + i * FAKE_RECORD_BYTES;
		struct cupti_kernel k;
		uint32_t kind;

		memcpy(&kind, at, sizeof kind);
		memcpy(&k.start, at + 16, sizeof k.start); /* offsets of CUpti_ActivityKernel10 */
		memcpy(&k.end, at + 24, sizeof k.end);
		memcpy(&k.correlation, at + 92, sizeof k.correlation);
		if (kind == FAKE_KIND_KERNEL)
			add(&s, &k);
	}
	return s;
}

static struct sums sum_taken(const struct cupti_kernel *list, size_t n)
{
	struct sums s = {0};

	for (size_t i = 0; i < n; i++) {
		if (i > 0 && list[i - 1].correlation > list[i].correlation)
			abort();
		add(&s, &list[i]);
	}
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	give_fn *give = open_once();
	const struct fake_records records = {.data = data, .n = size / FAKE_RECORD_BYTES};
	const size_t n_lost = records.n > 0 && data[0] == 0xff ? 1 : 0;
	const struct cupti_kernel *list;
	struct asc_err e;
	int64_t ns;
	size_t n;

	give(&records, n_lost);
	const enum asc_status s = cupti_take(CUPTI_ALL, &list, &n, &e);

	if (s != (n_lost > 0 ? ASC_IO : ASC_OK) || (s && n > 0))
		abort();
	if (s)
		return 0;
	const struct sums want = sum_given(&records), have = sum_taken(list, n);

	if (want.n != have.n || want.start != have.start || want.end != have.end ||
	    want.correlation != have.correlation)
		abort();
	if (n > 0 && !cupti_find_span(list, n, &ns, &e) && ns < 0)
		abort();
	if (cupti_take(CUPTI_ALL, &list, &n, &e) || n != 0)
		abort();
	return 0;
}

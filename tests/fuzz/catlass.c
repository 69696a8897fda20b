/* Any text as a CSV of catlass' tuner: what is opened has groups, each with a kernel, a problem and
 * results.
 * covers: catlass.c csv.c */
#include "reports/exchange/formats/catlass.h"

#include "tests/fuzz/records.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct records seen = {0};
	struct catlass *c = NULL;
	struct asc_err e;
	char *text = calloc(1, size + 1);

	if (size > 0)
		memcpy(text, data, size);
	(void)catlass_recognise(text);
	if (catlass_open("c.csv", text, size, &c, &e) == ASC_OK) {
		for (size_t i = 0; i < catlass_count(c); i++) {
			const struct t4_subject *s = catlass_get_subject(c, i);
			const size_t before = seen.n;

			if (!s->problem_json || !s->problem_key || !*s->implementation_key ||
			    catlass_each(c, i, records_visit, &seen, &e) || seen.n == before)
				abort();
		}
		if (seen.n == 0)
			abort();
	}
	catlass_close(c);
	records_fini(&seen);
	free(text);
	return 0;
}

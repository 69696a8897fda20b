/* Any text as a T4 file or a cache file of Kernel Tuner.
 * covers: t4.c t4_record.c */
#include "reports/exchange/formats/t4.h"

#include "tests/fuzz/records.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct records seen = {0};
	struct t4 *t = NULL;
	struct asc_err e;

	if (t4_open("t4.json", size > 0 ? (const char *)data : "", size, &t, &e))
		return 0;
	if (t4_get_subject(t) == NULL)
		abort();
	(void)t4_each(t, records_visit, &seen, &e);
	t4_close(t);
	records_fini(&seen);
	return 0;
}

/* Any text as a file of CLBlast's tuners: what is opened has a kernel and a problem.
 * covers: clblast.c */
#include "reports/exchange/formats/clblast.h"

#include "tests/fuzz/records.h"
#include "tests/fuzz/target.h"
#include "tuner/base/json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct records seen = {0};
	struct json_doc *doc = NULL;
	struct clblast *c = NULL;
	struct asc_err e;

	if (json_open_text("c.json", size > 0 ? (const char *)data : "", size, &doc, &e))
		return 0;
	(void)clblast_recognise(doc);
	if (clblast_open(doc, &c, &e))
		return 0;
	const struct t4_subject *s = clblast_get_subject(c);

	if (!s->operator_name || !s->problem_json || !s->problem_key || !s->implementation_key)
		abort();
	if (clblast_each(c, records_visit, &seen, &e) == ASC_OK && seen.n == 0)
		abort();
	clblast_close(c);
	records_fini(&seen);
	return 0;
}

/* Any text as what a compiler writes: of its words comes a reason of one line, and the files of its
 * rule, listed with their digests, hold as long as nothing touches them.
 * covers: outcome.c manifest.c */
#include "tuner/build/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/target.h"
#include "tuner/base/buf.h"
#include "tuner/build/manifest.h"

static void check_reason(const char *log)
{
	char *reason = outcome_reason(log);

	if (reason && strchr(reason, '\n'))
		abort();
	free(reason);
	(void)outcome_trouble(log, 1 << 8); /* exit status 1 */
	(void)outcome_lasts(log);
}

/* Files of the rule are read: none but those of the folder here. */
static void check_rule(const char *rule)
{
	struct buf lines = {0};
	struct asc_err e;

	if (!strchr(rule, '/') && manifest_print(rule, "tmp", "/a/b", &lines, &e) == ASC_OK &&
	    !manifest_holds(buf_str(&lines), "/a/c"))
		abort();
	if (!strchr(rule, '/'))
		(void)manifest_holds(rule, "/a/b");
	buf_fini(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text = {0};

	buf_add(&text, data, size);
	check_reason(buf_str(&text));
	check_rule(buf_str(&text));
	buf_fini(&text);
	return 0;
}

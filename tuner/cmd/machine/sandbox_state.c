#include "tuner/cmd/machine/sandbox_state.h"

#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/cmd/command.h"
#include "tuner/process/proc.h"

enum asc_status sandbox_state_try(struct asc_err *e)
{
	static const int64_t limit_ns = INT64_C(10000000000);
	struct buf said = {0};
	char *program;
	int status;

	if (command_own_path(&program, e))
		return e->status;
	enum asc_status s = proc_run((const char *const[]){program, "--version", NULL},
				     &(struct sandbox){0}, limit_ns, 0, &said, &status, e);
	buf_fini(&said);
	free(program);
	return s;
}

const char *sandbox_state_reason(enum sandbox_part part, char *text, size_t size)
{
	(void)sandbox_reason(part, text, size);
	if (!*text && sandbox_missing() & 1U << part)
		(void)snprintf(text, size, "the kernel refuses it");
	return text;
}

enum asc_status sandbox_state_require(struct asc_err *e)
{
	static const enum sandbox_part needed[] = {SANDBOX_FILES, SANDBOX_NETWORK};
	char reason[256];

	sandbox_require();
	if (sandbox_state_try(e))
		return e->status;
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (*sandbox_state_reason(needed[i], reason, sizeof reason))
			return asc_err_set(e, ASC_ABSENT,
					   "--untrusted needs a sandbox for the %s of kernels and "
					   "compilers, which is not here: %s",
					   sandbox_part_name(needed[i]), reason);
	return ASC_OK;
}

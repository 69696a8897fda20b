/* The folder of a capture: made and filled before the command runs. */
#ifndef ASCTUNE_CMD_CAPTURE_CAPTURE_FOLDER_H
#define ASCTUNE_CMD_CAPTURE_CAPTURE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct capture_options {
	const char *folder;
	const char *kernel; /* glob; NULL: all */
	uint64_t shapes;    /* of a kernel, in its workload */
	uint64_t save_bytes;
	bool widen;
	const char *reference; /* MODULE:FUNCTION, or NULL */
	bool json;
	char **command; /* NULL-terminated; NULL: what the folder has is written again */
};

/* Makes the folder, and in it the recorder with what it is asked for. ASC_INPUT: another program's
 * records are there; ASC_IO: others can write to the folder, whose Python would run. */
enum asc_status capture_folder_make(const struct capture_options *o, struct asc_err *e);

/* Runs the command with the recorder in each Python that it starts; *status as waitpid gives it. */
enum asc_status capture_folder_run(const struct capture_options *o, int *status, struct asc_err *e);

#endif

/* The part of sandbox.h that finds a refusal of the sandbox in what a child says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/process/sandbox.h"
#include "tuner/process/sandbox_files.h"

static const char around_paths[] = " \t\r\n\"'`:,;=()[]<>";

static bool is_around(char c)
{
	return strchr(around_paths, c) != NULL; /* the text's end, too */
}

/* The word before `at`, which is in `said`: "PATH: Permission denied". A heap string. */
static char *take_before(const char *said, const char *at)
{
	while (at > said && is_around(at[-1]) && at[-1] != '\n')
		at--;
	const char *end = at;

	while (at > said && !is_around(at[-1]))
		at--;
	return str_print("%.*s", (int)(end - at), at);
}

/* The word behind: "Permission denied: 'PATH'". */
static char *take_behind(const char *at)
{
	while (*at && *at != '\n' && is_around(*at))
		at++;
	const char *begin = at;

	while (!is_around(*at))
		at++;
	return str_print("%.*s", (int)(at - begin), begin);
}

/* No message advises to copy a hidden file, which may be a key. */
static bool is_hidden(const char *path)
{
	return strstr(path, "/.") != NULL;
}

/* True where the user may read what children do not: no place of the system's or the workload's. */
static bool is_shut(const char *path)
{
	struct asc_err e;
	char *real = *path ? path_absolute(path, &e) : NULL;
	const bool shut = real && access(real, R_OK) == 0 && !is_hidden(real) &&
			  !sandbox_files_is_system(real) && !sandbox_is_granted(real);

	free(real);
	return shut;
}

/* True where the user may write what children do not: a file, or a new one in its folder. */
static bool is_sealed(const char *path)
{
	char *folder = strchr(path, '/') ? path_folder(path) : NULL;
	const bool sealed = folder && access(file_exists(path) ? path : folder, W_OK) == 0;

	free(folder);
	return sealed;
}

const char *sandbox_explain(const char *said, char *text, size_t size)
{
	const char *at =
		sandbox_is_off() || sandbox_is_required() ? NULL : strstr(said, SANDBOX_DENIAL);
	char *paths[] = {at ? take_before(said, at) : NULL,
			 at ? take_behind(at + sizeof SANDBOX_DENIAL - 1) : NULL};

	(void)snprintf(text, size, "%s",
		       at ? " (if that is the sandbox: --trust leaves it off)" : "");
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		const bool named = paths[i] && !is_hidden(paths[i]);

		if (named && is_shut(paths[i]))
			(void)snprintf(text, size,
				       " (the sandbox denied %s: put it beside the workload, or "
				       "leave the sandbox off with --trust)",
				       paths[i]);
		else if (named && is_sealed(paths[i]))
			(void)snprintf(text, size,
				       " (the sandbox denied %s: write below $TMPDIR, or leave the "
				       "sandbox off with --trust)",
				       paths[i]);
		free(paths[i]);
	}
	return text;
}

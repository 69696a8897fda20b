#include "tuner/process/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* The path made absolute without resolving links: programs look at the name they are called by. */
static char *program_path(const char *path)
{
	errno = 0;
	if (!is_program(path))
		return NULL;
	char *here = getcwd(NULL, 0);
	char *absolute = here ? path_join(here, path) : NULL;
	free(here);
	return absolute;
}

char *proc_find(const char *name)
{
	if (strchr(name, '/'))
		return program_path(name);
	const char *folder = getenv("PATH");
	errno = 0;
	for (size_t n; folder && *name; folder += n + 1) {
		n = strcspn(folder, ":");
		/* An empty entry is the current folder. */
		char *path = str_print("%.*s/%s", n ? (int)n : 1, n ? folder : ".", name);
		char *found = path ? program_path(path) : NULL;
		bool last = !path || errno == ENOMEM || folder[n] == '\0';
		free(path);
		if (found || last)
			return found;
	}
	return NULL;
}

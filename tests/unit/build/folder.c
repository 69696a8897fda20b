#include "tests/unit/build/folder.h"

#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/file.h"

static char folder[300];

bool folder_init(const char *name)
{
	const char *base = getenv("TMPDIR");

	snprintf(folder, sizeof folder, "%s/%s-XXXXXX", base && *base ? base : "/tmp", name);
	return mkdtemp(folder) != NULL;
}

void folder_fini(void)
{
	dir_remove(folder);
}

const char *in_folder(const char *name)
{
	static char texts[4][400];
	static int next;
	char *text = texts[next++ % 4];

	snprintf(text, sizeof texts[0], "%s%s%s", folder, *name ? "/" : "", name);
	return text;
}

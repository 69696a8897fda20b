/* Gives a fuzz target every input of its corpus: an ordinary test, for machines without a fuzzer.
 * `t-fuzz-NAME.t [FILE...]`: only those. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/fuzz/target.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { MAX_SECONDS = 60 }; /* for one input: killed by SIGALRM beyond */

static void replay(const char *path)
{
	struct buf bytes = {0};
	struct asc_err e;

	if (!tap_ok(!file_read(path, 0, &bytes, &e), "%s is read", path))
		return;
	(void)fflush(stdout); /* so that the last line names what crashes */
	alarm(MAX_SECONDS);
	tap_int(LLVMFuzzerTestOneInput((const uint8_t *)bytes.data, bytes.len), 0, "%s", path);
	alarm(0);
	buf_fini(&bytes);
}

static int is_input(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static void replay_folder(const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, is_input, alphasort);

	tap_ok(n > 0, "%s has inputs", folder);
	for (int i = 0; i < n; i++) {
		char *path = path_join(folder, names[i]->d_name);
		if (path)
			replay(path);
		free(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	if (argc == 1)
		replay_folder(FUZZ_CORPUS);
	return tap_done();
}

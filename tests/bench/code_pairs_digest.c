/* For tests/bench/code_pairs: prints for each file, whose names come from stdin, a line each, the
 * digest of what runs, its bytes and the ns that the digest took, the least of several. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/code/run_digest.h"

enum { ROUNDS = 9 }; /* the least of these: what else runs does not count */

static long long now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void)
{
	char path[4096], digest[RUN_DIGEST_SIZE];
	int status = EXIT_SUCCESS;

	while (fgets(path, sizeof path, stdin)) {
		struct buf bytes = {0};
		struct asc_err e;
		long long least = 0;

		path[strcspn(path, "\n")] = '\0';
		if (file_read(path, 0, &bytes, &e)) {
			fprintf(stderr, "%s\n", e.text);
			status = EXIT_FAILURE;
			continue;
		}
		for (int i = 0; i < ROUNDS && status == EXIT_SUCCESS; i++) {
			const long long begin = now_ns();

			if (run_digest(bytes.data, bytes.len, digest, &e))
				status = EXIT_FAILURE;
			const long long ns = now_ns() - begin;

			least = i == 0 || ns < least ? ns : least;
		}
		printf("%s\t%zu\t%lld\t%s\n", digest, bytes.len, least, path);
		buf_fini(&bytes);
	}
	return status;
}

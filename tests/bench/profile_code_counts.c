/* For tests/bench/profile_code: reads cubins as asctune does, and prints for each kernel a line of
 * file, kernel, bytes, ns (the least of several), figures NAME=VALUE, and then MNEMONIC=COUNT; with
 * tabs between. The names of the files come from stdin, a line each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/code/code_file.h"
#include "tuner/code/code_opcodes.h"
#include "tuner/code/cubin_code.h"

enum { ROUNDS = 5 }; /* the least of these: what else runs does not count */

static long long now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Prints how often each mnemonic stands in the code; what the table lacks as "?". */
static void print_mnemonics(const char *path, const char *kernel)
{
	struct code_opcodes o = {0};
	struct asc_err e;

	if (code_opcodes_add_cubin(&o, 0, path, kernel, &e))
		fprintf(stderr, "%s\n", e.text);
	for (size_t i = 0; i < o.n; i++)
		printf("\t%s=%lld", o.list[i].name, (long long)o.list[i].n[0]);
	code_opcodes_fini(&o);
}

static int print_kernels(const char *path)
{
	struct buf bytes = {0};
	struct cubin c;
	struct asc_err e;
	const char *kernel;

	if (file_read(path, 0, &bytes, &e) || cubin_open(bytes.data, bytes.len, &c, &e)) {
		fprintf(stderr, "%s: %s\n", path, e.text);
		buf_fini(&bytes);
		return EXIT_FAILURE;
	}
	for (size_t at = 0; (kernel = cubin_next_kernel(&c, &at)) != NULL;) {
		struct code_counts counts = {0};
		struct code_figure f;
		long long least = 0;

		for (int i = 0; i < ROUNDS; i++) {
			const long long begin = now_ns();

			if (code_file_count(path, kernel, &counts, &e)) {
				fprintf(stderr, "%s\n", e.text);
				buf_fini(&bytes);
				return EXIT_FAILURE;
			}
			const long long ns = now_ns() - begin;

			least = i == 0 || ns < least ? ns : least;
		}
		printf("%s\t%s\t%zu\t%lld", path, kernel, bytes.len, least);
		for (size_t k = 0; code_counts_next(&counts, &k, &f);)
			printf("\t%s=%lld", f.name, (long long)f.value);
		print_mnemonics(path, kernel);
		printf("\n");
	}
	buf_fini(&bytes);
	return EXIT_SUCCESS;
}

int main(void)
{
	char path[4096];
	int status = EXIT_SUCCESS;

	while (fgets(path, sizeof path, stdin)) {
		path[strcspn(path, "\n")] = '\0';
		if (print_kernels(path) != EXIT_SUCCESS)
			status = EXIT_FAILURE;
	}
	return status;
}

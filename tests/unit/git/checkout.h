/* What the tests of repositories share: git itself, run in folders of the test, and files. */
#ifndef ASCTUNE_TESTS_UNIT_GIT_CHECKOUT_H
#define ASCTUNE_TESTS_UNIT_GIT_CHECKOUT_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/process/proc.h"

/* Runs git in a folder of the test's; its output, the caller's. */
static inline char *git(const char *folder, const char *const *words)
{
	const char *argv[24] = {"git",
				"-C",
				folder,
				"-c",
				"user.name=t",
				"-c",
				"user.email=t@t",
				"-c",
				"commit.gpgsign=false",
				"-c",
				"protocol.file.allow=always"};
	struct buf out = {0};
	struct asc_err fault;
	size_t n = 11;
	int status = 0;

	while (*words)
		argv[n++] = *words++;
	if (proc_run(argv, NULL, INT64_C(20000000000), 4096, &out, &status, &fault) || status != 0)
		tap_ok(false, "git: %s", buf_str(&out));
	return buf_take(&out);
}

#define GIT(folder, ...) free(git(folder, (const char *const[]){__VA_ARGS__, NULL}))

static inline char *path_of(const char *folder, const char *name)
{
	return str_print("%s/%s", folder, name);
}

static inline void write_file(const char *folder, const char *name, const char *text)
{
	char *path = path_of(folder, name);
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		tap_ok(false, "%s is written", path);
	free(path);
}

/* Runs the tests in a new folder, *base, which is gone behind them; where git is not installed they
 * are skipped. A test's main() returns it. */
static inline int run_in_folder(char **base, void (*tests)(void))
{
	const char *parent = getenv("TMPDIR");
	char *program = proc_find("git");

	*base = str_print("%s/t-git.XXXXXX", parent ? parent : "/tmp");
	if (!*base || !mkdtemp(*base))
		return 1;
	if (program)
		tests();
	else
		tap_skip("git is not installed");
	dir_remove(*base);
	free(program);
	free(*base);
	return tap_done();
}

#endif

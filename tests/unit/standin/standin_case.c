#include "standin_case.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

enum { CASE_SECONDS = 60 };

struct standin_acl acl;
char standin_trouble[256];

static char log_text[1 << 20];

bool standin_hold(bool ok, const char *file, int line, const char *text)
{
	if (!ok && !*standin_trouble)
		snprintf(standin_trouble, sizeof standin_trouble, "%s:%d: %s", file, line, text);
	return ok;
}

bool standin_give(int have, int want, const char *file, int line, const char *text)
{
	const char *why = have && acl.recent_error ? acl.recent_error() : NULL;

	if (have != want && !*standin_trouble)
		snprintf(standin_trouble, sizeof standin_trouble, "%s:%d: %s gave %d (%s), not %d",
			 file, line, text, have, why ? why : "", want);
	return have == want;
}

void *standin_case_open(const char *folder, const char *library)
{
	char path[512];

	snprintf(path, sizeof path, "%s/%s/lib64/%s", STANDIN_FOLDER, folder, library);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void fill(const char *folder)
{
	void *library = standin_case_open(folder, "libascendcl.so");

	if (!library)
		library = standin_case_open(folder, "libacl_rt.so");
	if (!HOLDS(library != NULL))
		return;
#define X(member, symbol, result, parameters, release)                                             \
	*(void **)&acl.member = dlsym(library, #symbol);
	ACL_LIST(X)
#undef X
}

static void run(const char *folder, const char *control, const char *log, void (*check)(void),
		int to)
{
	alarm(CASE_SECONDS);
	setenv("STANDIN", control, 1);
	setenv("STANDIN_LOG", log, 1);
	*standin_trouble = '\0';
	fill(folder);
	if (!*standin_trouble)
		check();
	const size_t n = strlen(standin_trouble);
	exit(write(to, standin_trouble, n) == (ssize_t)n ? 0 : 1);
}

static void read_log(const char *path)
{
	FILE *f = fopen(path, "r");
	const size_t n = f ? fread(log_text, 1, sizeof log_text - 1, f) : 0;

	log_text[n] = '\0';
	if (f)
		fclose(f);
}

void standin_case(const char *folder, const char *control, void (*check)(void), const char *name)
{
	char log[] = "/tmp/standin-XXXXXX", trouble[sizeof standin_trouble] = "";
	const int file = mkstemp(log);
	int ends[2], status = -1;

	fflush(stdout);
	if (file < 0 || pipe(ends) != 0)
		return;
	const pid_t child = fork();
	if (child == 0)
		run(folder, control, log, check, ends[1]);
	close(ends[1]);
	const ssize_t n = read(ends[0], trouble, sizeof trouble - 1);
	trouble[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	if (!*trouble && status != 0)
		snprintf(trouble, sizeof trouble, "ended with status %#x", status);
	tap_str(trouble, "", "%s", name);
	read_log(log);
	close(file);
	unlink(log);
}

const char *standin_case_log(void)
{
	return log_text;
}

int standin_case_count(const char *text)
{
	int n = 0;

	for (const char *at = strstr(log_text, text); at; at = strstr(at + 1, text))
		n++;
	return n;
}

void *standin_case_begin(void)
{
	void *stream = NULL;

	GIVES(acl.init(NULL), 0);
	GIVES(acl.device_set(0), 0);
	GIVES(acl.stream_create(&stream), 0);
	return stream;
}

void *standin_case_load(const char *name)
{
	void *binary = NULL, *function = NULL;

	GIVES(acl.binary_load(TWIN_ADD, NULL, &binary), 0);
	if (binary)
		GIVES(acl.binary_function(binary, name, &function), 0);
	return function;
}

void standin_block_init(struct standin_block *b, void *from, void *to, int32_t n, int32_t blocks)
{
	*b = (struct standin_block){.from = from, .to = to, .n = n, .grid = {blocks, 1, 1}};
	GIVES(acl.sync_address(&b->sync), 0);
}

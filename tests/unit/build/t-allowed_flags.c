/* Compiler flags that a workload of a stranger may have.
 * covers: allowed_flags.c */
#include "tuner/build/allowed_flags.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/builder.h"

static const struct allowed_flag list[] = {
	{"-a", ALLOWED_ALONE},   {"-w", ALLOWED_WORD},  {"-p", ALLOWED_PAIR},
	{"-m", ALLOWED_MACRO},   {"-I", ALLOWED_PLACE}, {"-Include", ALLOWED_PLACE},
	{"-fno-", ALLOWED_WORD}, {NULL, ALLOWED_ALONE},
};

static char *folder;

/* `flags` end with NULL; `bad` is the index of the flag that is refused, -1: none is. */
static void check(const struct allowed_flag *rules, const char *const *flags, int bad)
{
	struct asc_err e;
	size_t n = 0, at = 0;

	while (flags[n])
		n++;
	enum asc_status s = allowed_flags_check(rules, flags, n, folder, &at, &e);
	tap_ok((s == ASC_OK) == (bad < 0) && (bad < 0 || (s == ASC_INPUT && at == (size_t)bad)),
	       "%s %s: %s", n ? flags[0] : "no flags", n > 1 ? flags[1] : "",
	       s ? e.text : "allowed");
}

#define ALLOWED(...)      check(list, (const char *const[]){__VA_ARGS__, NULL}, -1)
#define REFUSED(bad, ...) check(list, (const char *const[]){__VA_ARGS__, NULL}, bad)

static void test_words(void)
{
	check(list, (const char *const[]){NULL}, -1);
	ALLOWED("-a", "-w", "-w1", "-wx=y", "-p1", "-p", "x=2");
	REFUSED(0, "");
	REFUSED(0, "a");
	REFUSED(0, "-");
	REFUSED(0, "@file");
	REFUSED(0, "-aa");
	REFUSED(1, "-a", "-b");
	REFUSED(0, "-wa/b");
	REFUSED(0, "-wa,b");
	REFUSED(0, "-w:b");
	REFUSED(0, "-w b");
	REFUSED(0, "-p");
	REFUSED(0, "-p", "");
	REFUSED(0, "-p", "-a");
	REFUSED(0, "-p", "@a");
	REFUSED(0, "-p", "a/b");
	REFUSED(2, "-p", "a", "a");
	ALLOWED("-mA", "-mA=a b/c", "-m", "A=1");
	REFUSED(0, "-m");
	REFUSED(0, "-m", "@a");
	REFUSED(0, "-mA=1\n#include \"x\"");
	check(NULL, (const char *const[]){"-a", NULL}, 0);
}

static void test_places(void)
{
	char *inside = path_join(folder, "in"), *attached = str_print("-I%s/in", folder);
	char *out = str_print("-I%s/..", folder);

	tap_int(mkdir(inside, 0700), 0, "a folder");
	ALLOWED("-I", inside);
	ALLOWED(attached, "-Include", inside);
	REFUSED(0, out);
	REFUSED(0, "-I", "/");
	REFUSED(0, "-I", "");
	REFUSED(0, "-I/nowhere");
	REFUSED(0, "-Include/etc/passwd");
	free(out);
	free(attached);
	free(inside);
}

/* Flags that make a compiler run, load, read or write something, of both lists. */
static void test_builders(void)
{
	static const char *const bad[] = {"-fplugin=x",   "-fpass-plugin=x",
					  "-wrapper",     "-specs=x",
					  "--specs=x",    "-o",
					  "-x",           "-T",
					  "-B.",          "-Wl,-x",
					  "-Wa,-x",       "-Wp,-x",
					  "-Xlinker",     "-Xclang",
					  "-mllvm",       "-L.",
					  "-include-pch", "-fmodules",
					  "-fuse-ld=x",   "-save-temps",
					  "-MF",          "-E",
					  "--sysroot=x",  "-nostdinc",
					  "-ivfsoverlay", "-time=x",
					  "--time=x",     "-create-pch=x",
					  "-use-pch=x",   "-opt-info",
					  "-arch=x",      "-dlto",
					  "--config=x",   "-fprofile-use"};
	struct asc_err e;
	size_t at;

	for (size_t b = 0; builder_list[b]; b++)
		for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
			tap_ok(allowed_flags_check(builder_list[b]->allowed, &bad[i], 1, folder,
						   &at, &e) == ASC_INPUT,
			       "%s: %s is refused", builder_list[b]->name, bad[i]);
}

int main(void)
{
	struct asc_err e;
	char *made = NULL;

	if (tap_ok(dir_make_scratch("t-allowed_flags", &made, &e) == ASC_OK &&
			   (folder = path_absolute(made, &e)) != NULL,
		   "a scratch folder")) {
		test_words();
		test_places();
		test_builders();
	}
	dir_remove(folder);
	free(folder);
	free(made);
	return tap_done();
}

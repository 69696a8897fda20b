/* Verdicts in compilers' words: the reason, what is no verdict but trouble of the machine, and what
 * a later build may not find again.
 * covers: outcome.c */
#include "tuner/build/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static void test_reason(void)
{
	static const struct {
		const char *log, *reason;
	} cases[] = {
		{"", ""},
		{"\nwhat\nelse\n", "what"},
		{"/a/errors/k.c:1: warning: w\n/a/b/k.c:3:5: error: no\n", "k.c:3:5: error: no"},
		{"cc1: fatal error: x/y.h: no\n", "cc1: fatal error: x/y.h: no"},
		{"In file: /a/b\n", "In file: /a/b"},
		{"/usr/bin/ld: /t/a.o: in function `f':\n/s/k.c:(.text+0x5): undefined reference "
		 "to "
		 "`g'\ncollect2: error: ld returned 1 exit status\n",
		 "k.c:(.text+0x5): undefined reference to `g'"},
		{"/usr/bin/ld: odd flag\ncollect2: error: ld returned 1 exit status\n",
		 "ld: odd flag"},
		{"/tmp/ccZ147HK.s: Assembler messages:\n"
		 "/tmp/ccZ147HK.s:23: Error: no such instruction: `foo'\n",
		 "assembler: no such instruction: `foo'"},
		{"{standard input}: Assembler messages:\n"
		 "{standard input}:23: Error: operand type mismatch for `mov'\n",
		 "assembler: operand type mismatch for `mov'"},
		{"k.c:1: Error: odd\n", "k.c:1: Error: odd"},
		{"collect2: error: ld returned 1 exit status\n",
		 "collect2: error: ld returned 1 exit status"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *reason = outcome_reason(cases[i].log);
		tap_str(reason, cases[i].reason, "reason %zu", i);
		free(reason);
	}
}

static void test_refusal(void)
{
	char *reason = outcome_reason("k.c:1:10: fatal error: a.h: Permission denied\n");

	tap_has(reason, "a.h: Permission denied (if that is the sandbox: --trust",
		"a refusal: how the sandbox is left off");
	free(reason);
}

static void test_cut_reason(void)
{
	char log[2000] = "error: ";
	for (size_t i = 7; i + 2 < sizeof log; i += 2)
		memcpy(log + i, "\xc3\xa9", 3);
	char *reason = outcome_reason(log);
	size_t n = strlen(reason);
	tap_ok(n <= 1003 && strcmp(reason + n - 5, "\xc3\xa9...") == 0,
	       "a long line is cut between characters");
	free(reason);
}

static void test_trouble(void)
{
	static const struct {
		const char *log;
		enum asc_status trouble;
	} signs[] = {
		{"k.c:1:2: error: #error \"Cannot allocate memory\"\n", ASC_OK},
		{"k.c: In function 'f':\nk.c:1:2: error: \"x\"\n"
		 "    1 | #error \"No space left on device\"\n",
		 ASC_OK},
		{"k.cu(3): error: static assertion failed with \"out of memory\"\n", ASC_OK},
		{"k.c:3: fatal error: error writing to /tmp/x.s: No space left on device\n",
		 ASC_FULL},
		{"sizes(): arguments[2] (scalar N, i64):2:1: fatal error: opening dependency file "
		 "/tmp/x.d: No space left on device\n",
		 ASC_FULL},
		{"{standard input}:7: Fatal error: out of memory\n", ASC_NOMEM},
		{"/tmp/a.s:7: Fatal error: x.o: Disk quota exceeded\n", ASC_FULL},
		{"virtual memory exhausted: Cannot allocate memory\n", ASC_NOMEM},
		{"cc: fatal error: Killed signal terminated program cc1\n", ASC_CHILD},
		{"collect2: fatal error: ld terminated with signal 9 [Killed]\n"
		 "compilation terminated.\n",
		 ASC_CHILD},
		{"clang: error: unable to execute command: Killed\n", ASC_CHILD},
		{"error: NVRTC cannot compile: NVRTC_ERROR_OUT_OF_MEMORY\n", ASC_NOMEM},
	};

	tap_int(outcome_trouble("ld: error: No space left on device", 1 << 8), ASC_FULL,
		"a full disk is no verdict");
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		tap_int(outcome_trouble(signs[i].log, 1 << 8), signs[i].trouble, "sign %zu", i);
	tap_int(outcome_trouble("error: No such thing", 1 << 8), ASC_OK, "an error is one");
	tap_int(outcome_trouble("", 9), ASC_CHILD, "a killed compiler is none");
	tap_int(outcome_trouble("Cannot create temporary file in /tmp/: No space left on device\n",
				6),
		ASC_FULL, "a compiler that a full disk has ended says so");
}

static void test_lasts(void)
{
	tap_ok(outcome_lasts("k.c:1:1: error: unknown type name"), "an error lasts");
	tap_ok(!outcome_lasts("k.c:1:1: fatal error: z.h: No such file or directory") &&
		       !outcome_lasts("ld: cannot find -lz: No such file or directory"),
	       "a header or a library may be installed");
}

static void expect_unknown(const char *reason, const char *name)
{
	size_t len = 0;
	const char *at = outcome_find_unknown(reason, &len);

	tap_ok(name ? at && len == strlen(name) && memcmp(at, name, len) == 0 : !at, "%s", reason);
}

static void test_unknown(void)
{
	expect_unknown("k.c:19:38: error: 'TILE' undeclared (first use in this function)", "TILE");
	expect_unknown("k.c:3:9: error: 'TILE_2' undeclared here (not in a function)", "TILE_2");
	expect_unknown("k.c:19:38: error: \xE2\x80\x98TILE\xE2\x80\x99 undeclared", "TILE");
	expect_unknown("k.c:19:38: error: use of undeclared identifier 'TILE'", "TILE");
	expect_unknown("k.cu(7): error: identifier \"TILE\" is undefined", "TILE");
	expect_unknown("k.c:1:1: error: in 'f': 'TILE' undeclared", "TILE");
	expect_unknown("k.c:1:1: error: '' undeclared", NULL);
	expect_unknown("k.c:1:1: error: expected ';' before 'TILE'", NULL);
	expect_unknown("k.c:1:1: error: 'TILE", NULL);
}

int main(void)
{
	test_reason();
	test_cut_reason();
	test_trouble();
	test_lasts();
	test_unknown();
	test_refusal();
	return tap_done();
}

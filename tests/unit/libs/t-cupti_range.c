/* Which libcupti has counters, what is said of others, and what a chip costs, by libraries of the
 * tests. Needs no GPU.
 * covers: cupti_range.c cupti.c */
#include "tuner/device/libs/cupti_range.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/unit/libs/fake_cupti.h"
#include "tuner/device/libs/cupti.h"

static struct asc_err e;

/* In a process of its own, since the library is looked for once: has it records, has it counters,
 * and what is said. */
static void check_library(const char *file, bool records, bool counters, const char *words)
{
	struct said {
		bool records, counters;
		char reason[512];
	} said = {.records = false};
	int ends[2], status = 0;

	if (!tap_int(pipe(ends), 0, "a pipe"))
		return;
	const pid_t child = fork();

	if (child == 0) {
		(void)setenv("ASCTUNE_CUPTI", file, 1);
		said.records = cupti_check(said.reason, sizeof said.reason);
		said.counters = cupti_range_check(said.reason, sizeof said.reason);
		_exit(write(ends[1], &said, sizeof said) == (ssize_t)sizeof said ? 0 : 1);
	}
	tap_ok(child > 0 && waitpid(child, &status, 0) == child && status == 0 &&
		       read(ends[0], &said, sizeof said) == (ssize_t)sizeof said,
	       "\"%s\" is looked at", words);
	tap_int(said.records, records, "it has records or has not");
	tap_int(said.counters, counters, "it has counters or has not");
	tap_has(said.reason, words, "the reason");
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void test_chips(void)
{
	const char *const *names = NULL;
	size_t n = 0;
	struct cupti_counters *c = NULL;

	tap_int(cupti_chips(&names, &n, &e), ASC_OK, "the chips that a library knows");
	tap_ok(n == 2 && strcmp(names[1], "GB202") == 0, "are listed");
	tap_int(cupti_counters_open("G80", &c, &e), ASC_USAGE, "another chip");
	tap_str(e.text, "libcupti does not know the chip \"G80\"; it knows GH100 GB202",
		"is refused, with those that are known");
	tap_ok(!c, "and opens nothing");
	tap_int(cupti_counters_open("H100", &c, &e), ASC_USAGE, "a name that is near");
	tap_str(e.text, "libcupti does not know the chip \"H100\"; did you mean \"GH100\"?",
		"is told");
	cupti_counters_close(c);
}

static void test_choose(void)
{
	static const char *const wanted[] = {"b", "c", "a", "c"};
	struct cupti_counters *c = NULL;
	const char *const *names = NULL;
	size_t n = 0, passes = 0;
	char near[128];

	if (!tap_int(cupti_counters_open("GH100", &c, &e), ASC_OK, "counters of a chip"))
		return;
	tap_ok(cupti_counters_has(c, "a") && !cupti_counters_has(c, "no_a"),
	       "it has some, and lacks others");
	tap_ok(cupti_counters_near(c, "dram__byte_read.max", near, sizeof near), "a name is near");
	tap_str(near, "dram__bytes_read.max", "with its roll-up");
	tap_ok(!cupti_counters_near(c, "foo__bar.sum", near, sizeof near), "of another none is");
	tap_int(cupti_counters_choose(c, wanted, 4, &names, &n, &passes, &e), ASC_OK,
		"some are chosen");
	tap_ok(n == 3 && strcmp(names[0], "a") == 0 && strcmp(names[1], "b") == 0 &&
		       strcmp(names[2], "c") == 0,
	       "sorted, and each once");
	tap_int(passes, FAKE_PASSES, "with the number of passes");
	cupti_counters_close(c);
}

int main(void)
{
	check_library("/no/such/libcupti.so", false, false, "/no/such/libcupti.so");
	check_library(FAKE_CUPTI_OLD, true, false,
		      "libcupti has no function cuptiProfilerHostGetSupportedChips: expected that "
		      "of CUDA 12.6 to 13.1");
	/* With a driver it would be asked for its version, and die. */
	if (access("/dev/nvidiactl", F_OK) != 0)
		check_library(FAKE_CUPTI_NEWER, false, false,
			      "libcupti of CUDA 13.2 or newer works with a driver only");
	tap_int(setenv("ASCTUNE_CUPTI", FAKE_CUPTI, 1), 0, "a library that has counters");
	test_chips();
	test_choose();
	return tap_done();
}

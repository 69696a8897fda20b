/* What the Ascend runtime's codes mean, and the words of its failures. Needs no NPU.
 * covers: acl.c */
#include "tuner/device/libs/acl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/device/libs/acl_errors.h"

static struct asc_err e;
static const char *words;

static const char *recent(void)
{
	return words;
}

static const struct acl_runtime talking = {.recent_error = recent}, silent = {0};

static void test_names(void)
{
	tap_str(acl_error_name(507015), "ACL_ERROR_RT_AICORE_EXCEPTION", "a code of aclrt");
	tap_str(acl_error_name(100002), "ACL_ERROR_REPEAT_INITIALIZE", "one of acl");
	tap_str(acl_error_name(561112), "ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND", "one of aclnn");
	tap_ok(!acl_error_name(0) && !acl_error_name(999999), "what is no failure has no name");
}

/* Codes worth a treatment of their own in the list of codes, and one that is not. */
static void test_meanings(void)
{
	static const struct {
		int code;
		enum asc_status status;
		bool lasting;
	} cases[] = {
		{0, ASC_OK, false},          {107000, ASC_IO, false},
		{207000, ASC_ABSENT, false}, {200006, ASC_ABSENT, false},
		{207001, ASC_NOMEM, false},  {207018, ASC_NOMEM, false},
		{107019, ASC_TIMEOUT, true}, {107020, ASC_TIMEOUT, true},
		{507014, ASC_TIMEOUT, true}, {507034, ASC_TIMEOUT, true},
		{507046, ASC_TIMEOUT, true}, {507047, ASC_TIMEOUT, true},
		{507015, ASC_IO, true},      {507016, ASC_IO, true},
		{507035, ASC_IO, true},      {507036, ASC_IO, true},
		{507042, ASC_IO, true},      {507045, ASC_IO, true},
		{507049, ASC_IO, true},      {507053, ASC_IO, true},
		{507055, ASC_IO, true},      {507010, ASC_IO, true},
		{507033, ASC_IO, true},      {507899, ASC_IO, false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tap_int(acl_check(&silent, cases[i].code, "aclrtX", &e), cases[i].status,
			"status of code %d", cases[i].code);
		tap_int(acl_error_is_lasting(cases[i].code), cases[i].lasting,
			"whether the context is lost by %d", cases[i].code);
	}
}

static void check_words(const struct acl_runtime *acl, int code, const char *said,
			const char *wanted)
{
	words = said;
	tap_int(acl_check(acl, code, "aclrtFree", &e), ASC_IO, "a failure");
	tap_str(e.text, wanted, "its words");
}

static void test_words(void)
{
	static const char plain[] = "aclrtFree: ACL_ERROR_RT_PARAM_INVALID (107000)";
	static char many[1000];

	check_words(&silent, 107000, NULL, plain);
	check_words(&talking, 107000, NULL, plain);
	check_words(&talking, 107000, " \n\t", plain);
	check_words(&silent, 424242, NULL, "aclrtFree: error 424242");
	check_words(
		&talking, 107000,
		"\nEH0001: [PID: 7] bad address\n  Solution: none.\n  TraceBack (most recent): x",
		"aclrtFree: ACL_ERROR_RT_PARAM_INVALID (107000): EH0001: [PID: 7] bad address   "
		"Solution: none.");
	memset(many, 'x', sizeof many - 1);
	words = many;
	(void)acl_check(&talking, 107000, "aclrtFree", &e);
	tap_int(strlen(e.text), sizeof plain - 1 + 2 + 400, "long words are cut");
}

/* In a process of its own: libraries are looked for once. */
static void test_absent(void)
{
	const pid_t child = fork();
	int status = -1;

	if (child == 0) {
		const struct acl_runtime *acl;
		const struct rt_runtime *rt;
		const bool fine = setenv("ASCTUNE_CANN", "/no/such/cann", 1) == 0 &&
				  acl_start(&acl, &e) == ASC_ABSENT &&
				  strstr(e.text, "/no/such/cann/lib64/libascendcl.so") &&
				  rt_open(&rt, &e) == ASC_ABSENT &&
				  strstr(e.text, "/no/such/cann/lib64/libruntime.so");

		_exit(fine ? 0 : 1);
	}
	tap_ok(child > 0 && waitpid(child, &status, 0) == child && status == 0,
	       "libraries that are not there are named");
}

int main(void)
{
	test_names();
	test_meanings();
	test_words();
	test_absent();
	return tap_done();
}

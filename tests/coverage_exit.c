/* Processes that end with _exit() are counted too: with the preset `coverage` they come here first
 * (the linker's --wrap). A sandbox would keep a child from writing its counts: with
 * COVERAGE_WITHOUT_SANDBOX in the environment there is none. */
#include <gcov.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tuner/base/sandbox.h"

void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));
enum asc_status __real_sandbox_prepare(const struct sandbox *s, const char *program,
				       struct sandbox_entry **out, struct asc_err *e);
enum asc_status __wrap_sandbox_prepare(const struct sandbox *s, const char *program,
				       struct sandbox_entry **out, struct asc_err *e);

/* A child that still shares its parent's memory leaves its counts there. */
void __wrap__exit(int status)
{
	if (syscall(SYS_kcmp, getpid(), getppid(), KCMP_VM, 0, 0) != 0)
		__gcov_dump();
	__real__exit(status);
}

enum asc_status __wrap_sandbox_prepare(const struct sandbox *s, const char *program,
				       struct sandbox_entry **out, struct asc_err *e)
{
	if (!getenv("COVERAGE_WITHOUT_SANDBOX"))
		return __real_sandbox_prepare(s, program, out, e);
	*out = NULL;
	return ASC_OK;
}

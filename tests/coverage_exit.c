/* Processes that end with _exit() are counted too: with the preset `coverage` they come here first
 * (the linker's --wrap). */
#include <gcov.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));

/* A child that still shares its parent's memory leaves its counts there. */
void __wrap__exit(int status)
{
	if (syscall(SYS_kcmp, getpid(), getppid(), KCMP_VM, 0, 0) != 0)
		__gcov_dump();
	__real__exit(status);
}

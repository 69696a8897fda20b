/* Where a process that runs kernels on the CPU has died: a line on stderr, beside the signal that
 * ends it, such as
 *
 *     write 24 bytes past the end of y (f32[8, 4096])
 *
 * The line is written by the process that dies, in which a kernel may have said anything. */
#ifndef ASCTUNE_DEVICE_CPU_CPU_FAULT_H
#define ASCTUNE_DEVICE_CPU_CPU_FAULT_H

#include <signal.h>

/* Installs handlers of SIGSEGV and SIGBUS, for this process and not for those that it forks; the
 * signals end the process as before. */
void cpu_fault_begin(void);

/* Prepares the calling thread, after cpu_fault_begin(): gives the handlers a stack of their own
 * where the thread's is full, and unblocks the signals. Without it, what a thread does wrong ends
 * the process without a line. */
void cpu_fault_watch_thread(void);

/* Has the process's own handlers in place while it reads what a kernel has written, and the
 * kernel's again afterwards: with one of its own the kernel would compute an output when that is
 * read, after its time. Nothing before cpu_fault_begin(). */
struct cpu_fault_handlers {
	struct sigaction segv, bus;
};
void cpu_fault_hold(struct cpu_fault_handlers *before);
void cpu_fault_let_go(const struct cpu_fault_handlers *before);

#endif

/* Where a process that runs kernels on the CPU has died: a line on stderr, beside the signal that
 * ends it, such as
 *
 *     write 24 bytes past the end of y (f32[8, 4096])
 *
 * The line is written by the process that dies, in which a kernel may have said anything. */
#ifndef ASCTUNE_DEVICE_CPU_FAULT_H
#define ASCTUNE_DEVICE_CPU_FAULT_H

/* Installs handlers of SIGSEGV and SIGBUS, for this process and not for those that it forks; the
 * signals end the process as before. */
void cpu_fault_begin(void);

/* Prepares the calling thread, after cpu_fault_begin(): gives the handlers a stack of their own
 * where the thread's is full, and unblocks the signals. Without it, what a thread does wrong ends
 * the process without a line. */
void cpu_fault_watch_thread(void);

#endif

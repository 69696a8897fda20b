#include "tuner/process/sandbox_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

/* Numbers that headers of older systems lack, the same on all processors. */
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_setxattrat
#define SYS_setxattrat 463
#endif
#ifndef SYS_removexattrat
#define SYS_removexattrat 466
#endif
#ifndef SYS_file_setattr
#define SYS_file_setattr 469
#endif

enum { IOPRIO_WHO_PROCESS = 1 }; /* of linux/ioprio.h, which older systems lack */
enum { X32 = 0x40000000 };       /* bit of the numbers of the x32 calls, which only x86-64 has */

#ifdef MACHINE

#define LOAD(member)       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define REFUSE(error)      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define ALLOW              BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define IF(value, n)       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (n))
#define UNLESS(value, n)   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (n), 0)
#define DENY(call)         IF(call, 1), REFUSE(EACCES)
#define IF_LEAST(value, n) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (value), 0, (n))

/* Calls of another machine (32 bits) have other numbers. io_uring makes sockets without the call
 * `socket`. IF and its like skip `n` lines otherwise. */
#define HEAD                                                                                       \
	LOAD(arch), UNLESS(MACHINE, 1), REFUSE(ENOSYS), LOAD(nr), IF_LEAST(X32, 1),                \
		REFUSE(ENOSYS), IF(SYS_io_uring_setup, 1), REFUSE(ENOSYS)

/* Flags of files, append-only and immutable among them, by calls that need no right to write. */
#define FLAGS                                                                                      \
	IF(SYS_ioctl, 6), LOAD(args[1]), UNLESS(FS_IOC_SETFLAGS, 3), UNLESS(FS_IOC32_SETFLAGS, 2), \
		UNLESS(FS_IOC_FSSETXATTR, 1), ALLOW, REFUSE(EACCES)

/* Locks and leases of files need the right to read alone, and hold up whoever waits for them: the
 * coordinator for its database and its cache. */
#define LOCKS                                                                                      \
	IF(SYS_flock, 1), REFUSE(ENOSYS), IF(SYS_fcntl, 8), LOAD(args[1]), UNLESS(F_SETLK, 5),     \
		UNLESS(F_SETLKW, 4), UNLESS(F_OFD_SETLK, 3), UNLESS(F_OFD_SETLKW, 2),              \
		UNLESS(F_SETLEASE, 1), ALLOW, REFUSE(ENOSYS)

/* Modes, owners, times and attributes of files: no rule of Landlock is about them. */
#define CHANGES                                                                                    \
	DENY(SYS_fchmod), DENY(SYS_fchmodat), DENY(SYS_fchmodat2), DENY(SYS_fchown),               \
		DENY(SYS_fchownat), DENY(SYS_utimensat), DENY(SYS_setxattr), DENY(SYS_lsetxattr),  \
		DENY(SYS_fsetxattr), DENY(SYS_setxattrat), DENY(SYS_removexattr),                  \
		DENY(SYS_lremovexattr), DENY(SYS_fremovexattr), DENY(SYS_removexattrat),           \
		DENY(SYS_file_setattr), FLAGS
#ifdef SYS_chmod
#define OLDER_CHANGES                                                                              \
	, DENY(SYS_chmod), DENY(SYS_chown), DENY(SYS_lchown), DENY(SYS_utime), DENY(SYS_utimes),   \
		DENY(SYS_futimesat)
#else
#define OLDER_CHANGES
#endif

/* A call whose first argument is a kind of process and whose second one is its number: for the
 * calling thread alone. */
#define FOR_ITSELF(call, kind)                                                                     \
	IF(call, 6), LOAD(args[0]), IF(kind, 3), LOAD(args[1]), IF(0, 1), ALLOW, REFUSE(EPERM)

/* Policies of other threads. pthread_create() sets that of a new thread with attributes of its own
 * (PTHREAD_EXPLICIT_SCHED), by the thread's number; NVRTC and the driver's compilers ask for such
 * attributes. Those that take time away from a thread (SCHED_BATCH, SCHED_IDLE) nobody needs; those
 * of real time are for root, and users with RLIMIT_RTPRIO. */
#define POLICIES                                                                                   \
	IF(SYS_sched_setscheduler, 8), LOAD(args[0]), UNLESS(0, 5), LOAD(args[1]),                 \
		UNLESS(SCHED_OTHER, 3), UNLESS(SCHED_FIFO, 2), UNLESS(SCHED_RR, 1), REFUSE(EPERM), \
		ALLOW, IF(SYS_sched_setattr, 4), LOAD(args[0]), UNLESS(0, 1), REFUSE(EPERM), ALLOW

/* Limits, priorities and policies of other processes: a limit on processor time ends one like a
 * signal, and nobody but root takes SCHED_IDLE back. And the limit by which the guard finds this
 * one. Processors stay: threads of a kernel set them for each other. */
#define OF_OTHERS                                                                                  \
	IF(SYS_prlimit64, 7), LOAD(args[0]), UNLESS(0, 1), REFUSE(EPERM), LOAD(args[1]),           \
		IF(RLIMIT_RTTIME, 1), REFUSE(EPERM), ALLOW, IF(SYS_setrlimit, 4), LOAD(args[0]),   \
		IF(RLIMIT_RTTIME, 1), REFUSE(EPERM), ALLOW,                                        \
		FOR_ITSELF(SYS_setpriority, PRIO_PROCESS),                                         \
		FOR_ITSELF(SYS_ioprio_set, IOPRIO_WHO_PROCESS), POLICIES

/* Keys of the user's session, Kerberos tickets among them, are files to nobody. */
#define KEYS DENY(SYS_add_key), DENY(SYS_request_key), DENY(SYS_keyctl)

/* Shared memory, semaphores and queues of System V and POSIX queues: those of the user's other
 * programs are open to each process of the user, and new ones stay when their process has ended. */
#define IPC                                                                                        \
	DENY(SYS_shmget), DENY(SYS_shmat), DENY(SYS_shmctl), DENY(SYS_semget), DENY(SYS_semop),    \
		DENY(SYS_semtimedop), DENY(SYS_semctl), DENY(SYS_msgget), DENY(SYS_msgsnd),        \
		DENY(SYS_msgrcv), DENY(SYS_msgctl), DENY(SYS_mq_open), DENY(SYS_mq_unlink)

/* With userfaultfd a kernel would write its output when that is compared, after its time. */
static struct sock_filter any[] = {HEAD,
				   DENY(SYS_socket),
				   DENY(SYS_userfaultfd),
				   IPC,
				   LOCKS,
				   CHANGES OLDER_CHANGES,
				   KEYS,
				   OF_OTHERS,
				   ALLOW};

static struct sock_filter of_driver[] = {
	HEAD,           KEYS, OF_OTHERS, IF(SYS_socket, 3), LOAD(args[0]), UNLESS(AF_UNIX, 1),
	REFUSE(EACCES), ALLOW};

static const struct sock_fprog programs[] = {{sizeof any / sizeof *any, any},
					     {sizeof of_driver / sizeof *of_driver, of_driver}};

/* Without the flag some kernels slow the process down. */
bool sandbox_filter_enter(bool driver)
{
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		       &programs[driver]) == 0;
}

void sandbox_filter_check(char *reason, size_t size)
{
	/* Asks for a filter at no address: EFAULT comes from a kernel that has them. */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, NULL) ==
		    0 ||
	    errno == EFAULT)
		return;
	(void)snprintf(reason, size, "%s",
		       errno == ENOSYS || errno == EINVAL
			       ? "the kernel has no filters of system calls (Linux 4.17 or newer)"
			       : "the container forbids filters of system calls");
}

#else

bool sandbox_filter_enter(bool driver)
{
	(void)driver;
	return false;
}

void sandbox_filter_check(char *reason, size_t size)
{
	(void)snprintf(reason, size, "no filter is written for this processor");
}

#endif

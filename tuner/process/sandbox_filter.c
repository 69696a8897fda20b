#include "tuner/process/sandbox_filter.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
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

/* ---- the language: lines of a program, with labels instead of distances ---- */

/* Names of places. A jump goes to the nearest place of its name below it: each rule has its own
 * NEXT_CALL. */
enum label {
	NOWHERE, /* as a target: the line below */
	NATIVE,
	NUMBERED,
	ITSELF,
	NEXT_CALL,
	REFUSED,
	ALLOWED
};

struct line {
	uint16_t operation;
	uint32_t value;
	enum label yes, no; /* targets of a comparison */
	enum label here;    /* not NOWHERE: the line is no instruction, but a place */
};

#define LINE(op, value, yes, no)                                                                   \
	{                                                                                          \
		(op), (value), (yes), (no), NOWHERE                                                \
	}
#define AT(label)                                                                                  \
	{                                                                                          \
		0, 0, NOWHERE, NOWHERE, (label)                                                    \
	}
#define FIELD(member)      offsetof(struct seccomp_data, member)
#define LOAD(member)       LINE(BPF_LD | BPF_W | BPF_ABS, FIELD(member), NOWHERE, NOWHERE)
#define ANSWER(what)       LINE(BPF_RET | BPF_K, (what), NOWHERE, NOWHERE)
#define REFUSE(error)      ANSWER(SECCOMP_RET_ERRNO | (error))
#define ALLOW              ANSWER(SECCOMP_RET_ALLOW)
#define IS(value, to)      LINE(BPF_JMP | BPF_JEQ | BPF_K, (value), (to), NOWHERE)
#define IS_NOT(value, to)  LINE(BPF_JMP | BPF_JEQ | BPF_K, (value), NOWHERE, (to))
#define IS_LESS(value, to) LINE(BPF_JMP | BPF_JGE | BPF_K, (value), NOWHERE, (to))
#define DENY(call)         IS_NOT(call, NEXT_CALL), REFUSE(EACCES), AT(NEXT_CALL)

/* ---- the rules: the number of the call is loaded where one begins, and still is where it ends.
 * A rule that loads an argument ends with an answer on each way. ---- */

/* Calls of another machine (32 bits) have other numbers. io_uring makes sockets without the call
 * `socket`. */
#define HEAD                                                                                       \
	LOAD(arch), IS(MACHINE, NATIVE), REFUSE(ENOSYS), AT(NATIVE), LOAD(nr),                     \
		IS_LESS(X32, NUMBERED), REFUSE(ENOSYS), AT(NUMBERED),                              \
		IS_NOT(SYS_io_uring_setup, NEXT_CALL), REFUSE(ENOSYS), AT(NEXT_CALL)

/* Flags of files, append-only and immutable among them, by calls that need no right to write. */
#define FLAGS                                                                                      \
	IS_NOT(SYS_ioctl, NEXT_CALL), LOAD(args[1]), IS(FS_IOC_SETFLAGS, REFUSED),                 \
		IS(FS_IOC32_SETFLAGS, REFUSED), IS(FS_IOC_FSSETXATTR, REFUSED), ALLOW,             \
		AT(REFUSED), REFUSE(EACCES), AT(NEXT_CALL)

/* Locks and leases of files need the right to read alone, and hold up whoever waits for them: the
 * coordinator for its database and its cache. */
#define LOCKS                                                                                      \
	IS_NOT(SYS_flock, NEXT_CALL), REFUSE(ENOSYS), AT(NEXT_CALL), IS_NOT(SYS_fcntl, NEXT_CALL), \
		LOAD(args[1]), IS(F_SETLK, REFUSED), IS(F_SETLKW, REFUSED),                        \
		IS(F_OFD_SETLK, REFUSED), IS(F_OFD_SETLKW, REFUSED), IS(F_SETLEASE, REFUSED),      \
		ALLOW, AT(REFUSED), REFUSE(ENOSYS), AT(NEXT_CALL)

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
	IS_NOT(call, NEXT_CALL), LOAD(args[0]), IS_NOT(kind, REFUSED), LOAD(args[1]),              \
		IS_NOT(0, REFUSED), ALLOW, AT(REFUSED), REFUSE(EPERM), AT(NEXT_CALL)

/* Policies of other threads. pthread_create() sets that of a new thread with attributes of its own
 * (PTHREAD_EXPLICIT_SCHED), by the thread's number; NVRTC and the driver's compilers ask for such
 * attributes. Those that take time away from a thread (SCHED_BATCH, SCHED_IDLE) nobody needs; those
 * of real time are for root, and users with RLIMIT_RTPRIO. */
#define POLICIES                                                                                   \
	IS_NOT(SYS_sched_setscheduler, NEXT_CALL), LOAD(args[0]), IS(0, ALLOWED), LOAD(args[1]),   \
		IS(SCHED_OTHER, ALLOWED), IS(SCHED_FIFO, ALLOWED), IS(SCHED_RR, ALLOWED),          \
		REFUSE(EPERM), AT(ALLOWED), ALLOW, AT(NEXT_CALL),                                  \
		IS_NOT(SYS_sched_setattr, NEXT_CALL), LOAD(args[0]), IS(0, ALLOWED),               \
		REFUSE(EPERM), AT(ALLOWED), ALLOW, AT(NEXT_CALL)

/* Limits, priorities and policies of other processes: a limit on processor time ends one like a
 * signal, and nobody but root takes SCHED_IDLE back. And the limit by which the guard finds this
 * one. Processors stay: threads of a kernel set them for each other. */
#define OF_OTHERS                                                                                  \
	IS_NOT(SYS_prlimit64, NEXT_CALL), LOAD(args[0]), IS(0, ITSELF), REFUSE(EPERM), AT(ITSELF), \
		LOAD(args[1]), IS_NOT(RLIMIT_RTTIME, ALLOWED), REFUSE(EPERM), AT(ALLOWED), ALLOW,  \
		AT(NEXT_CALL), IS_NOT(SYS_setrlimit, NEXT_CALL), LOAD(args[0]),                    \
		IS_NOT(RLIMIT_RTTIME, ALLOWED), REFUSE(EPERM), AT(ALLOWED), ALLOW, AT(NEXT_CALL),  \
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
static const struct line of_any[] = {HEAD,
				     DENY(SYS_socket),
				     DENY(SYS_userfaultfd),
				     IPC,
				     LOCKS,
				     CHANGES OLDER_CHANGES,
				     KEYS,
				     OF_OTHERS,
				     ALLOW};

static const struct line of_driver[] = {HEAD,           KEYS,
					OF_OTHERS,      IS_NOT(SYS_socket, ALLOWED),
					LOAD(args[0]),  IS(AF_UNIX, ALLOWED),
					REFUSE(EACCES), AT(ALLOWED),
					ALLOW};

/* ---- the programs ---- */

enum { N_ANY = sizeof of_any / sizeof *of_any, N_DRIVER = sizeof of_driver / sizeof *of_driver };

static struct sock_filter code_any[N_ANY], code_driver[N_DRIVER];
static struct sock_fprog programs[] = {{0, code_any}, {0, code_driver}};

/* Number of instructions between a jump and its target. */
static uint8_t distance(const struct line *from, enum label to, const struct line *end)
{
	const struct line *at = from + 1;
	unsigned n = 0;

	if (to == NOWHERE)
		return 0;
	for (; at < end && at->here != to; at++)
		n += at->here == NOWHERE;
	/* Each label stands below its jumps, and a conditional jump has 8 bits for its way. */
	assert(at < end && n <= UINT8_MAX);
	return (uint8_t)n;
}

static void assemble(const struct line *lines, size_t n, struct sock_fprog *out)
{
	const struct line *const end = lines + n;

	for (const struct line *l = lines; l < end; l++)
		if (l->here == NOWHERE)
			out->filter[out->len++] =
				(struct sock_filter){l->operation, distance(l, l->yes, end),
						     distance(l, l->no, end), l->value};
}

static void assemble_all(void)
{
	assemble(of_any, N_ANY, &programs[false]);
	assemble(of_driver, N_DRIVER, &programs[true]);
}

const struct sock_fprog *sandbox_filter_prepare(bool driver)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, assemble_all);
	return &programs[driver];
}

bool sandbox_filter_enter(const struct sock_fprog *program)
{
	/* Without the flag some kernels slow the process down: they take a filter for a wish to be
	 * protected against speculation. */
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		       program) == 0;
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

const struct sock_fprog *sandbox_filter_prepare(bool driver)
{
	(void)driver;
	return NULL;
}

bool sandbox_filter_enter(const struct sock_fprog *program)
{
	(void)program;
	return false;
}

void sandbox_filter_check(char *reason, size_t size)
{
	(void)snprintf(reason, size, "no filter is written for this processor");
}

#endif

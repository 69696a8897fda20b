#include "tests/unit/process/sandbox_acts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/file.h"

static int could_read(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && read(fd, &byte, 1) == 1 ? 0 : 1;
}

static int could_list(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 ? 0 : 1;
}

static int could_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	return fd >= 0 && write(fd, "x", 1) == 1 ? 0 : 1;
}

static int could_change_mode(const char *path)
{
	return chmod(path, 0777) == 0 ? 0 : 1;
}

static int could_read_starter(const char *name)
{
	char path[64];

	(void)snprintf(path, sizeof path, "/proc/%ld/%s", (long)getppid(), name);
	return could_read(path);
}

static int could_unlink(const char *path)
{
	return unlink(path) == 0 ? 0 : 1;
}

static int could_write_temporary(const char *path)
{
	char *at = path_join(getenv("TMPDIR"), path);
	int result = at ? could_write(at) : 1;

	free(at);
	return result;
}

static int could_rename(const char *path)
{
	char *from = path_join(getenv("TMPDIR"), "a"), *to = path_join(getenv("TMPDIR"), path);
	char *below = path_folder(to);
	int result = could_write(from) || mkdir(below, 0700) != 0 || rename(from, to) != 0;

	free(below);
	free(to);
	free(from);
	return result;
}

static int could_open_socket(int domain)
{
	return socket(domain, SOCK_STREAM, 0) >= 0 ? 0 : 1;
}

static int could_use_internet(const char *none)
{
	(void)none;
	return could_open_socket(AF_INET) && could_open_socket(AF_INET6) &&
	       could_open_socket(AF_NETLINK);
}

static int could_use_unix(const char *none)
{
	(void)none;
	return could_open_socket(AF_UNIX);
}

static int could_queue_calls(const char *none)
{
	(void)none;
	return syscall(SYS_io_uring_setup, 1, NULL) < 0 && errno == ENOSYS;
}

static int could_share(const char *none)
{
	int shared = shmget(IPC_PRIVATE, 4096, 0600), queue = msgget(IPC_PRIVATE, 0600);

	(void)none;
	if (shared >= 0)
		(void)shmctl(shared, IPC_RMID, NULL);
	if (queue >= 0)
		(void)msgctl(queue, IPC_RMID, NULL);
	return shared >= 0 || queue >= 0 ? 0 : 1;
}

/* Calls that the filter answers itself: with arguments that no kernel takes, any other error is the
 * kernel's own. */
static const struct {
	const char *name;
	long call;
	int error;
} refused[] = {
	{"shmat", SYS_shmat, EACCES},         {"shmctl", SYS_shmctl, EACCES},
	{"semop", SYS_semop, EACCES},         {"semtimedop", SYS_semtimedop, EACCES},
	{"semctl", SYS_semctl, EACCES},       {"msgsnd", SYS_msgsnd, EACCES},
	{"msgrcv", SYS_msgrcv, EACCES},       {"msgctl", SYS_msgctl, EACCES},
	{"mq_unlink", SYS_mq_unlink, EACCES}, {"userfaultfd", SYS_userfaultfd, EACCES},
	{"add_key", SYS_add_key, EACCES},     {"request_key", SYS_request_key, EACCES},
	{"keyctl", SYS_keyctl, EACCES},       {"file_setattr", 469, EACCES},
};

static int could_call(const char *name)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (strcmp(refused[i].name, name) == 0)
			return syscall(refused[i].call, -1, -1, -1, -1, -1) < 0 &&
					       errno == refused[i].error
				       ? 1
				       : 0;
	return 2;
}

/* Changes flags of a file that may only be read, by each of the calls; 0 changes nothing. */
/* Locks and a lease, which need no right to write. */
static int could_lock(const char *path)
{
	static const int calls[] = {F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW};
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t could = flock(fd, LOCK_SH | LOCK_NB) == 0 || errno != ENOSYS;

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

		could += fcntl(fd, calls[i], &all) == 0 || errno != ENOSYS;
	}
	could += fcntl(fd, F_SETLEASE, F_RDLCK) == 0 || errno != ENOSYS;
	/* The flags of a descriptor are no lock. */
	const bool whole = fcntl(STDOUT_FILENO, F_GETFL) >= 0;

	(void)close(fd);
	return could == 0 && whole ? 1 : 0;
}

/* True for a process that the kernel ends before its starter when memory runs out. */
static int could_end_first(const char *none)
{
	char text[16] = "";
	const int fd = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
	const ssize_t n = read(fd, text, sizeof text - 1);

	(void)none, (void)close(fd);
	return n > 0 && strtol(text, NULL, 10) == 500 ? 0 : 1;
}

static int could_change_flags(const char *path)
{
	static const unsigned long calls[] = {FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS,
					      FS_IOC_FSSETXATTR};
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct fsxattr none = {0};
	size_t could = 0;

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		could += ioctl(fd, calls[i], &none) == 0 || errno != EACCES;
	return could > 0 ? 0 : 1;
}

static int could_signal(const char *none)
{
	(void)none;
	return kill(getppid(), 0) == 0 ? 0 : 1;
}

static int could_limit(const char *none)
{
	struct rlimit now;

	(void)none;
	return getrlimit(RLIMIT_CORE, &now) == 0 && prlimit(getppid(), RLIMIT_CORE, NULL, &now) == 0
		       ? 0
		       : 1;
}

static int could_slow(const char *none)
{
	(void)none;
	return setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0)) == 0 &&
			       setpriority(PRIO_PROCESS, (id_t)getppid(),
					   getpriority(PRIO_PROCESS, 0)) == 0
		       ? 0
		       : 1;
}

/* Outside of a sandbox its starter is changed, and changed back. */
static int could_set_policy(const char *policy)
{
	const struct sched_param zero = {0};
	const int wanted = strcmp(policy, "idle") == 0 ? SCHED_IDLE : SCHED_BATCH;

	if (sched_setscheduler(0, SCHED_BATCH, &zero) ||
	    sched_setscheduler(getppid(), wanted, &zero))
		return 1;
	return sched_setscheduler(getppid(), SCHED_OTHER, &zero) == 0 ? 0 : 2;
}

static void *do_nothing(void *none)
{
	return none;
}

/* A thread whose policy is not inherited: the C library sets it, by the thread's number. */
static int could_make_thread(const char *none)
{
	const struct sched_param zero = {0};
	pthread_attr_t a;
	pthread_t t;

	(void)none;
	return pthread_attr_init(&a) || pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED) ||
			       pthread_attr_setschedpolicy(&a, SCHED_OTHER) ||
			       pthread_attr_setschedparam(&a, &zero) ||
			       pthread_create(&t, &a, do_nothing, NULL) || pthread_join(t, NULL)
		       ? 1
		       : 0;
}

/* Sets what its starter has, for itself and for its starter. */
static int could_set_attributes(const char *none)
{
	char attributes[128]; /* struct sched_attr, which headers of older systems lack */
	const long got = syscall(SYS_sched_getattr, 0, attributes, sizeof attributes, 0);

	(void)none;
	return got == 0 && syscall(SYS_sched_setattr, 0, attributes, 0) == 0 &&
			       syscall(SYS_sched_setattr, getppid(), attributes, 0) == 0
		       ? 0
		       : 1;
}

/* 1: of a process, 2 << 13 | 7: the lowest of the usual priorities. */
static int could_delay(const char *none)
{
	(void)none;
	return syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 7) == 0 &&
			       syscall(SYS_ioprio_set, 1, getppid(), 2 << 13 | 7) == 0
		       ? 0
		       : 1;
}

/* -3: the keyring of the session. */
static int could_keep_key(const char *none)
{
	(void)none;
	return syscall(SYS_add_key, "user", "asctune-test", "x", (size_t)1, -3) >= 0 ||
			       errno != EACCES
		       ? 0
		       : 1;
}

static int could_gain(const char *none)
{
	char text[4096] = "";
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	(void)none;
	return fd >= 0 && read(fd, text, sizeof text - 1) > 0 && strstr(text, "NoNewPrivs:\t1") ? 1
												: 0;
}

/* Renames a thread by /proc, which is emptied first, as NVIDIA's driver does. */
static int could_name_thread(const char *none)
{
	char path[64];

	(void)none;
	(void)snprintf(path, sizeof path, "/proc/self/task/%ld/comm", syscall(SYS_gettid));
	FILE *f = fopen(path, "we");
	return f && fputs("x", f) >= 0 && fclose(f) == 0 ? 0 : 1;
}

static int could_dump(const char *none)
{
	struct rlimit r;

	(void)none;
	return getrlimit(RLIMIT_CORE, &r) == 0 && r.rlim_max == 0 ? 1 : 0;
}

static int could_take_memory(const char *none)
{
	const size_t bytes = (size_t)2 << 30;
	char *all = malloc(bytes);

	(void)none;
	return all && (all[bytes / 2] = 1) ? 0 : 1;
}

/* Changes the limit that marks a child, by either call. */
static int could_lose_mark(const char *none)
{
	const struct rlimit other = {1, 1};

	(void)none;
	return syscall(SYS_prlimit64, 0, RLIMIT_RTTIME, &other, NULL) &&
	       syscall(SYS_setrlimit, RLIMIT_RTTIME, &other);
}

static int sleep_for(const char *seconds)
{
	(void)sleep((unsigned)strtol(seconds, NULL, 10));
	return 0;
}

/* A process in a session of its own, without an environment, which writes its number to standard
 * output. */
static int leave_daemon(const char *seconds)
{
	if (fork() == 0) {
		(void)setsid();
		pid_t left = fork();
		if (left == 0)
			(void)execle("/proc/self/exe", "t-sandbox", "sleep", seconds, (char *)NULL,
				     (char *[]){NULL});
		else
			(void)dprintf(STDOUT_FILENO, "%ld\n", (long)left);
		_exit(0);
	}
	(void)wait(NULL);
	return 0;
}

/* A child in a session of its own, which writes its number, of a process that goes on. */
static int keep_daemon(const char *seconds)
{
	if (fork() == 0) {
		(void)setsid();
		(void)dprintf(STDOUT_FILENO, "%ld\n", (long)getpid());
	}
	return sleep_for(seconds);
}

static const struct act {
	const char *name;
	int (*could)(const char *argument);
} acts[] = {{"read", could_read},
	    {"list", could_list},
	    {"write", could_write},
	    {"unlink", could_unlink},
	    {"change mode", could_change_mode},
	    {"read starter", could_read_starter},
	    {"write temporary", could_write_temporary},
	    {"rename", could_rename},
	    {"internet", could_use_internet},
	    {"unix", could_use_unix},
	    {"queue", could_queue_calls},
	    {"share", could_share},
	    {"call", could_call},
	    {"change flags", could_change_flags},
	    {"end first", could_end_first},
	    {"lock", could_lock},
	    {"signal", could_signal},
	    {"limit", could_limit},
	    {"slow", could_slow},
	    {"delay", could_delay},
	    {"set policy", could_set_policy},
	    {"make thread", could_make_thread},
	    {"set attributes", could_set_attributes},
	    {"key", could_keep_key},
	    {"gain", could_gain},
	    {"dump", could_dump},
	    {"memory", could_take_memory},
	    {"lose its mark", could_lose_mark},
	    {"sleep", sleep_for},
	    {"daemon", leave_daemon},
	    {"parent", keep_daemon},
	    {"name", could_name_thread}};

int sandbox_act(const char *name, const char *argument)
{
	for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
		if (strcmp(acts[i].name, name) == 0)
			return acts[i].could(argument);
	return 2;
}

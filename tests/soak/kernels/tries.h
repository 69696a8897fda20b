/* What the kernels of tests/soak/tries.py are made of, each of which tries to get out of its
 * sandbox, or to make its coordinator say what is not so. TRY is one of them, an expression that is
 * not 0 where it has succeeded. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MARK "escapee" /* name of processes, and content of files, that are left behind */

static int reads(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY);
	return fd >= 0 && read(fd, &byte, 1) == 1;
}
static int makes(const char *path)
{
	return open(path, O_WRONLY | O_CREAT, 0600) >= 0;
}
static char *own(const char *name)
{
	char *path;
	return asprintf(&path, "%s/%s", getenv("TMPDIR"), name) > 0 ? path : NULL;
}
static char *parent(const char *name)
{
	char *path;
	return asprintf(&path, "/proc/%d/%s", (int)getppid(), name) > 0 ? path : NULL;
}
static int connects(int domain, int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(domain, SOCK_STREAM, 0);
	return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
}
static int limit(int what)
{
	struct rlimit r;
	return getrlimit(what, &r) != 0 || r.rlim_max != 0;
}
/* It is looked for outside whether the process is still there. */
static int leaves(int how)
{
	if (fork() == 0) {
		if (how)
			setsid();
		if (how == 2) {
			clearenv();
			if (fork())
				_exit(0);
		}
		prctl(PR_SET_NAME, MARK);
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		if (how == 2)
			execle("/bin/sh", MARK, "-c",
			       "echo " MARK " >/proc/self/comm; exec -a " MARK
			       " sleep 600 || sleep 600",
			       (char *)NULL, (char *[]){NULL});
		for (;;)
			sleep(600);
	}
	usleep(20000);
	return 0;
}
/* Puts a file for each reference of the cache into its own folder, and says that the problem is set
 * up, whereupon such files are taken. */
static int replaces(const char *references)
{
	static const char ready[] = "{\"event\":\"ready\",\"of\":\"problem\"}\n";
	DIR *folder = opendir(references);
	mkdir(own("reference"), 0700);
	for (struct dirent *f; folder && (f = readdir(folder)) != NULL;) {
		char *path;
		int fd = f->d_name[0] != '.' &&
					 asprintf(&path, "%s/%s", own("reference"), f->d_name) > 0
				 ? open(path, O_WRONLY | O_CREAT, 0600)
				 : -1;
		if (fd >= 0 && write(fd, MARK, sizeof MARK) > 0)
			close(fd);
	}
	for (int fd = 3; fd < 4200; fd++)
		(void)!write(fd, ready, sizeof ready - 1);
	return 0;
}
/* Has a function of the library return its argument. A later run tells whether that changed a
 * reference. */
static int patches(const char *function)
{
#ifdef __x86_64__
	const unsigned char back[] = {0xc3};
#elif defined __aarch64__
	const unsigned char back[] = {0xc0, 0x03, 0x5f, 0xd6};
#else
	const unsigned char back[] = {0};
#endif
	void *code = dlsym(RTLD_DEFAULT, function);
	if (!code || mprotect((void *)((uintptr_t)code & ~(uintptr_t)4095), 8192,
			      PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return 0;
	memcpy(code, back, sizeof back);
	__builtin___clear_cache((char *)code, (char *)code + sizeof back);
	return 0;
}
/* Says a line to the coordinator. */
static int says(const char *line)
{
	struct stat st;
	for (int fd = 3; fd < 65536; fd++)
		if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode))
			send(fd, line, strlen(line), MSG_NOSIGNAL);
	return 0;
}
static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}
/* A result of its own, with all that goes before; the coordinator is to believe it before the
 * worker speaks again. */
static int says_result(const char *members)
{
	char line[2048];
	snprintf(
		line, sizeof line,
		"{\"event\":\"phase\",\"id\":1,\"phase\":\"measure\",\"step\":0,\"at\":\"%lld\"}\n",
		now());
	says(line);
	snprintf(line, sizeof line,
		 "{\"event\":\"result\",\"id\":1,\"at\":\"%lld\",\"status\":\"ok\",\"phase\":"
		 "\"measure\"%s}\n",
		 now(), members);
	says(line);
	for (;;)
		pause();
}
/* A result of another trial that takes away the one it has or will have. */
static int withdraws(int id)
{
	char line[256];
	snprintf(line, sizeof line,
		 "{\"event\":\"result\",\"id\":%d,\"at\":\"%lld\",\"status\":\"wrong\","
		 "\"phase\":\"measure\"}\n",
		 id, now());
	return says(line);
}
/* Says that another trial is launched, and does not return. */
static int poses(int id)
{
	char line[256];
	snprintf(line, sizeof line,
		 "{\"event\":\"phase\",\"id\":%d,\"phase\":\"measure\",\"step\":0,\"at\":\"%"
		 "lld\"}\n",
		 id, now());
	says(line);
	for (;;)
		pause();
}
static int lives(void)
{
	char line[256];
	for (;; usleep(100000)) {
		snprintf(line, sizeof line,
			 "{\"event\":\"phase\",\"id\":1,\"phase\":\"verify\",\"step\":0,\"at\":\"%"
			 "lld\"}\n",
			 now());
		says(line);
	}
}
/* Says things of no consequence as fast as it can. */
static int floods(void)
{
	static const char line[] = "{\"event\":\"doing\",\"what\":\"x\"}\n";
	static char lines[1 << 16];
	size_t n = 0;
	for (; n + sizeof line < sizeof lines; n += sizeof line - 1)
		memcpy(lines + n, line, sizeof line);
	for (;;)
		says(lines);
}
/* Folders in its own one: one that its owner may not list, or many, one in the other. They go with
 * its own. */
static int hides(void)
{
	static char block[1 << 20];
	if (mkdir(own("hidden"), 0300) != 0)
		return 0;
	int fd = open(own("hidden/file"), O_WRONLY | O_CREAT, 0600);
	for (int i = 0; i < 4; i++)
		(void)!write(fd, block, sizeof block);
	close(fd);
	return 0;
}
static int digs(void)
{
	char name[201];
	int folder = open(own("."), O_RDONLY | O_DIRECTORY);
	memset(name, 'd', 200);
	name[200] = 0;
	for (int i = 0; i < 60 && folder >= 0; i++) {
		int next = mkdirat(folder, name, 0700) == 0
				   ? openat(folder, name, O_RDONLY | O_DIRECTORY)
				   : -1;
		close(folder);
		folder = next;
	}
	close(folder);
	return 0;
}
static int try(void)
{
	errno = 0;
	return TRY;
}

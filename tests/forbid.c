/* Runs a command on a kernel that seems to lack a part of the sandbox: forbid landlock|seccomp
 * COMMAND ARGUMENT... Its calls fail as a container that forbids them has them fail. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LANDLOCK_FIRST = 444, LANDLOCK_CALLS = 3 /* the same numbers on all processors */ };

static int forbid(unsigned first, unsigned calls)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, first, 0, 2),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, first + calls, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

int main(int argc, char **argv)
{
	const int landlock = argc > 2 && strcmp(argv[1], "landlock") == 0;

	if (!landlock && (argc < 3 || strcmp(argv[1], "seccomp") != 0)) {
		fputs("usage: forbid landlock|seccomp COMMAND ARGUMENT...\n", stderr);
		return 2;
	}
	if (forbid(landlock ? LANDLOCK_FIRST : SYS_seccomp, landlock ? LANDLOCK_CALLS : 1) != 0) {
		perror("forbid");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}

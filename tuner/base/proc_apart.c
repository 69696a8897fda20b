#include "tuner/base/proc_apart.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/file.h"
#include "tuner/base/proc.h"

static bool read_all(int fd, void *data, size_t n)
{
	char *at = data;

	while (n > 0) {
		ssize_t done = read(fd, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

/* The child: no exit handlers, and no buffers of the parent's to be written again. */
static void answer_and_end(proc_apart_fn *fn, const void *question, void *answer, size_t size,
			   int fd)
{
	struct asc_err e = {0};

	e.status = fn(question, answer, &e);
	bool told = file_write_all(fd, &e, sizeof e) && file_write_all(fd, answer, size);
	_exit(told ? 0 : 1);
}

enum asc_status proc_apart(proc_apart_fn *fn, const void *question, void *answer, size_t size,
			   struct asc_err *e)
{
	int ends[2], status = 0;
	char text[80];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return asc_err_set(e, ASC_IO, "cannot make a pipe: %s", strerror(errno));
	pid_t pid = fork();
	if (pid == 0)
		answer_and_end(fn, question, answer, size, ends[1]);
	if (pid < 0)
		asc_err_set(e, ASC_NOMEM, "cannot start a process: %s", strerror(errno));
	close(ends[1]);
	bool told = pid > 0 && read_all(ends[0], e, sizeof *e) && read_all(ends[0], answer, size);
	close(ends[0]);
	if (pid < 0)
		return e->status;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (told)
		return e->status;
	return asc_err_set(e, ASC_CHILD, "the process that was to answer %s",
			   proc_print_status(status, text, sizeof text));
}

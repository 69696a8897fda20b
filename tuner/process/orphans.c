#include "tuner/process/orphans.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/array.h"

enum {
	MAX_ROUNDS = 1000, /* for processes that fork faster than they are found */
	ROUND_US = 1000
};

static struct {
	pid_t *list;
	size_t n, capacity;
} known;

void orphans_adopt(void)
{
	/* Orphans come to the nearest process above that asks for them, else to init. */
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool orphans_know(pid_t pid)
{
	if (!array_room(&known.list, known.n, &known.capacity, sizeof *known.list))
		return false;
	known.list[known.n++] = pid;
	return true;
}

void orphans_forget(pid_t pid)
{
	for (size_t i = 0; i < known.n; i++)
		if (known.list[i] == pid)
			known.list[i] = known.list[--known.n];
	/* An empty list holds no memory: nobody calls at the end of the process. */
	if (known.n > 0)
		return;
	free(known.list);
	known.list = NULL;
	known.capacity = 0;
}

static bool is_known(pid_t pid)
{
	for (size_t i = 0; i < known.n; i++)
		if (known.list[i] == pid)
			return true;
	return false;
}

void orphans_forget_others(pid_t pid)
{
	if (!is_known(pid))
		return;
	known.list[0] = pid;
	known.n = 1;
}

/* Kills the orphans on one thread's list, and reaps the ones that have ended; returns the number on
 * the list. */
static size_t end_listed(const char *list)
{
	FILE *f = fopen(list, "re");
	size_t n = 0;
	char word[32];

	while (f && fscanf(f, "%31s", word) == 1) {
		const long pid = strtol(word, NULL, 10);

		if (pid <= 0 || is_known((pid_t)pid))
			continue;
		(void)kill((pid_t)pid, SIGKILL);
		/* Without a wait: one that hangs in a driver may not end for long. */
		(void)waitpid((pid_t)pid, NULL, WNOHANG | __WALL);
		n++;
	}
	if (f)
		(void)fclose(f);
	return n;
}

void orphans_end(void)
{
	/* Killing one orphan hands its own children to this process: the next round finds them, and
	 * those of a process that has forked meanwhile. */
	for (int i = 0; i < MAX_ROUNDS; i++) {
		glob_t lists;
		size_t n = 0;

		/* A child is on the list of the thread that has started or adopted it. */
		if (glob("/proc/self/task/*/children", GLOB_NOSORT, NULL, &lists) != 0)
			return;
		for (size_t k = 0; k < lists.gl_pathc; k++)
			n += end_listed(lists.gl_pathv[k]);
		globfree(&lists);
		if (n == 0)
			return;
		/* Most have ended by the second round; the others need a moment. */
		(void)usleep(i > 0 ? ROUND_US : 0);
	}
}

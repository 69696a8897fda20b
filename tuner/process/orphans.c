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

/* Kills the orphans that one thread's list has, and reaps those that have ended; returns how many
 * were listed. */
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
		(void)waitpid((pid_t)pid, NULL, WNOHANG | __WALL);
		n++;
	}
	if (f)
		(void)fclose(f);
	return n;
}

static size_t end_all(void)
{
	glob_t lists;
	size_t n = 0;

	if (glob("/proc/self/task/*/children", GLOB_NOSORT, NULL, &lists) != 0)
		return 0;
	for (size_t i = 0; i < lists.gl_pathc; i++)
		n += end_listed(lists.gl_pathv[i]);
	globfree(&lists);
	return n;
}

void orphans_end(void)
{
	for (int i = 0; i < MAX_ROUNDS && end_all() > 0; i++)
		(void)usleep(i > 0 ? ROUND_US : 0);
}

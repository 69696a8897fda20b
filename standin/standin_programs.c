#include "standin/standin_programs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tuner/process/thread.h"

/* Model's time from which a launch is shared: a processor needs thousands of times as long. */
#define SHARED_NS 10000

enum { MAX_THREADS = 64 };

struct work {
	const struct twin_kernel *kernel;
	const union twin_argument *arguments;
	int64_t programs;
	_Atomic int64_t next;
};

static void *run_some(void *user)
{
	struct work *w = user;

	for (int64_t p = atomic_fetch_add(&w->next, 1); p < w->programs;
	     p = atomic_fetch_add(&w->next, 1))
		w->kernel->run(w->arguments, p, w->programs);
	return NULL;
}

void standin_programs_run(const struct twin_kernel *k, const union twin_argument *a,
			  int64_t programs, double ns)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct work w = {.kernel = k, .arguments = a, .programs = programs};
	pthread_t threads[MAX_THREADS];
	long n = 0;

	while (ns >= SHARED_NS && n + 1 < processors && n + 1 < programs && n < MAX_THREADS &&
	       thread_start(&threads[n], NULL, run_some, &w) == 0)
		n++;
	(void)run_some(&w);
	while (n > 0)
		pthread_join(threads[--n], NULL);
}

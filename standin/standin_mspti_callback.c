#include "standin/standin_mspti_callback.h"

#include <pthread.h>
#include <string.h>

#include "standin/standin_listener.h"

/* msptiCallbackData. */
struct callback_data {
	int site; /* 0: enter, 1: exit */
	const char *function;
	const void *parameters, *result;
	const char *symbol;
	uint64_t correlation, reserved[2];
	uint64_t *scratch; /* the callback's own, the same at both ends of a call */
};

/* Numbers of msptiCallbackIdRuntime, by the functions that come to it here. The first that a
 * function's name begins with is its own. */
static const struct {
	const char *begin;
	uint32_t id;
} sites[] = {
	{"aclrtLaunchKernel", 10}, {"rtKernelLaunch", 10}, {"aclrtMemcpyAsync", 24},
	{"aclrtMemcpy", 22},       {"rtMemcpy", 22},       {"aclrtMemsetAsync", 28},
	{"aclrtMemset", 27},
};
enum { N_SITES = sizeof sites / sizeof *sites };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	mspti_callback_fn *callback;
	void *user;
	bool enabled[N_SITES];
} subscriber;

static bool find_site(const char *name, size_t *at)
{
	for (*at = 0; *at < N_SITES; ++*at)
		if (strncmp(name, sites[*at].begin, strlen(sites[*at].begin)) == 0)
			return true;
	return false;
}

static void on_site(const char *name, bool is_exit, int code, uint64_t correlation)
{
	static __thread bool inside; /* a call that the callback itself makes */
	static __thread uint64_t scratch;
	size_t at;

	if (inside || !find_site(name, &at))
		return;
	pthread_mutex_lock(&lock);
	mspti_callback_fn *const callback = subscriber.enabled[at] ? subscriber.callback : NULL;
	void *const user = subscriber.user;
	pthread_mutex_unlock(&lock);
	if (!callback)
		return;
	const struct callback_data data = {.site = is_exit,
					   .function = name,
					   .result = is_exit ? &code : NULL,
					   .correlation = correlation,
					   .scratch = &scratch};
	inside = true;
	callback(user, MSPTI_DOMAIN_RUNTIME, sites[at].id, &data);
	inside = false;
}

void mspti_callback_set(mspti_callback_fn *callback, void *user)
{
	pthread_mutex_lock(&lock);
	memset(&subscriber, 0, sizeof subscriber);
	subscriber.callback = callback;
	subscriber.user = user;
	pthread_mutex_unlock(&lock);
	standin_on_site = callback ? on_site : NULL;
}

bool mspti_callback_enable(uint32_t id, bool enable)
{
	bool known = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < N_SITES; i++)
		if (id == 0 || sites[i].id == id) {
			subscriber.enabled[i] = enable;
			known = true;
		}
	pthread_mutex_unlock(&lock);
	return known;
}

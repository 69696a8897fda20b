#include "tuner/device/libs/acl.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/device/libs/acl_errors.h"
#include "tuner/device/libs/library.h"

enum { MAX_WORDS = 400 }; /* bytes of the runtime's message that are passed on */

static const char advice[] = " (CANN's set_env.sh sets where its libraries lie, and --cann names a "
			     "folder; npu:sim:SOC, a stand-in, needs none)";

const struct library_symbol acl_symbols[] = {
#define X(member, symbol, result, parameters, release)                                             \
	{#symbol, offsetof(struct acl_runtime, member), (release) > ACL_2022},
	ACL_LIST(X)
#undef X
		{"asctune_standin", offsetof(struct acl_runtime, standin), true},
	{0}};

const struct library_symbol rt_symbols[] = {
#define X(member, symbol, result, parameters) {#symbol, offsetof(struct rt_runtime, member), false},
	RT_LIST(X)
#undef X
		{0}};

static struct acl_runtime runtime;
static struct rt_runtime below;

static const char *const acl_files[] = {"libascendcl.so", "libacl_rt.so", NULL};
static const char *const rt_files[] = {"libruntime.so", NULL};
static struct library acl_library = {.files = acl_files,
				     .toolkit = &toolkit_cann,
				     .advice = advice,
				     .symbols = acl_symbols,
				     .table = &runtime};
static struct library rt_library = {.files = rt_files,
				    .toolkit = &toolkit_cann,
				    .advice = advice,
				    .symbols = rt_symbols,
				    .table = &below};

enum asc_status acl_open(const struct acl_runtime **out, struct asc_err *e)
{
	*out = &runtime;
	return library_once(&acl_library, e);
}

enum asc_status rt_open(const struct rt_runtime **out, struct asc_err *e)
{
	*out = &below;
	return library_once(&rt_library, e);
}

/* ---- begin and end ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool started, abandoned;

static void finish(void)
{
	if (!abandoned)
		(void)runtime.finalize();
}

/* A runtime that was initialised before is finalised where it was initialised. */
static enum asc_status initialise(struct asc_err *e)
{
	const int rc = runtime.init(NULL);

	if (rc != ACL_ALREADY_INITIALISED && acl_check(&runtime, rc, "aclInit", e))
		return e->status = ASC_ABSENT;
	if (rc == 0 && atexit(finish) != 0)
		return asc_err_nomem(e);
	started = true;
	return ASC_OK;
}

enum asc_status acl_start(const struct acl_runtime **out, struct asc_err *e)
{
	enum asc_status s = acl_open(out, e);

	if (s)
		return s;
	(void)pthread_mutex_lock(&lock);
	if (!started)
		s = initialise(e);
	(void)pthread_mutex_unlock(&lock);
	return s;
}

void acl_abandon(void)
{
	abandoned = true;
}

/* ---- failures ---- */

static enum asc_status status_of(int rc)
{
	static const enum asc_status statuses[] = {
		[ACL_FAILED] = ASC_IO,       [ACL_ABSENT] = ASC_ABSENT,
		[ACL_NO_MEMORY] = ASC_NOMEM, [ACL_TIMED_OUT] = ASC_TIMEOUT,
		[ACL_BROKEN] = ASC_IO,       [ACL_DEVICE_LOST] = ASC_IO};

	return statuses[acl_error_meaning(rc)];
}

/* Finds the message proper in the runtime's text: without blanks in front and the trace of its
 * calls behind. */
static size_t trim(const char **words)
{
	while (isspace((unsigned char)**words))
		++*words;
	const char *trace = strstr(*words, "TraceBack");
	size_t n = trace ? (size_t)(trace - *words) : strlen(*words);

	n = n < MAX_WORDS ? n : MAX_WORDS;
	while (n > 0 && isspace((unsigned char)(*words)[n - 1]))
		n--;
	return n;
}

enum asc_status acl_check(const struct acl_runtime *acl, int rc, const char *what,
			  struct asc_err *e)
{
	if (rc == 0)
		return ASC_OK;
	const char *name = acl_error_name(rc), *words = NULL;

	if (acl->recent_error)
		words = acl->recent_error();
	if (!words)
		words = "";
	const size_t n = trim(&words);

	return asc_err_set(e, status_of(rc), "%s: %s%s%d%s%s%.*s", what, name ? name : "error ",
			   name ? " (" : "", rc, name ? ")" : "", n > 0 ? ": " : "", (int)n, words);
}

#include "tuner/device/libs/acl.h"

#include <ctype.h>
#include <pthread.h>
#include <stddef.h>
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

enum asc_status acl_start(const struct acl_runtime **out, struct asc_err *e)
{
	enum asc_status s = acl_open(out, e);

	if (s)
		return s;
	(void)pthread_mutex_lock(&lock);
	if (!started) {
		const int rc = runtime.init(NULL);

		/* A runtime that was initialised before is finalised where it was initialised. */
		if (rc != ACL_ALREADY_INITIALISED && acl_check(&runtime, rc, "aclInit", e))
			s = e->status = ASC_ABSENT;
		else if (rc == 0 && atexit(finish) != 0)
			s = asc_err_nomem(e);
		started = s == ASC_OK;
	}
	(void)pthread_mutex_unlock(&lock);
	return s;
}

void acl_abandon(void)
{
	abandoned = true;
}

/* ---- failures ---- */

static const struct {
	int code;
	const char *name;
} names[] = {
#define X(code, name) {code, #name},
	ACL_ERROR_LIST(X) ACL_RT_ERROR_LIST(X) ACLNN_ERROR_LIST(X)
#undef X
};

/* Codes that are more than a plain failure. After an exception or a time-out of a core, and after
 * an error of memory or of a link that the device has found, every later call in the context fails.
 */
static const struct {
	int code;
	enum acl_meaning meaning;
} meanings[] = {
	{207000, ACL_ABSENT},    {200006, ACL_ABSENT},      {207001, ACL_NO_MEMORY},
	{207018, ACL_NO_MEMORY}, {107019, ACL_TIMED_OUT},   {107020, ACL_TIMED_OUT},
	{507012, ACL_TIMED_OUT}, {507014, ACL_TIMED_OUT},   {507017, ACL_TIMED_OUT},
	{507034, ACL_TIMED_OUT}, {507046, ACL_TIMED_OUT},   {507047, ACL_TIMED_OUT},
	{507048, ACL_TIMED_OUT}, {507915, ACL_TIMED_OUT},   {507011, ACL_BROKEN},
	{507015, ACL_BROKEN},    {507016, ACL_BROKEN},      {507018, ACL_BROKEN},
	{507035, ACL_BROKEN},    {507036, ACL_BROKEN},      {507042, ACL_BROKEN},
	{507043, ACL_BROKEN},    {507044, ACL_BROKEN},      {507045, ACL_BROKEN},
	{507049, ACL_BROKEN},    {507050, ACL_BROKEN},      {507051, ACL_BROKEN},
	{507052, ACL_BROKEN},    {507053, ACL_BROKEN},      {507054, ACL_BROKEN},
	{507055, ACL_BROKEN},    {507056, ACL_BROKEN},      {507057, ACL_BROKEN},
	{507916, ACL_BROKEN},    {507010, ACL_DEVICE_LOST}, {507033, ACL_DEVICE_LOST},
};

const char *acl_error_name(int code)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].code == code)
			return names[i].name;
	return NULL;
}

enum acl_meaning acl_error_meaning(int code)
{
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (meanings[i].code == code)
			return meanings[i].meaning;
	return ACL_FAILED;
}

bool acl_error_is_lasting(int code)
{
	const enum acl_meaning m = acl_error_meaning(code);

	return m == ACL_TIMED_OUT || m == ACL_BROKEN || m == ACL_DEVICE_LOST;
}

enum asc_status acl_check(const struct acl_runtime *acl, int rc, const char *what,
			  struct asc_err *e)
{
	static const enum asc_status statuses[] = {
		[ACL_FAILED] = ASC_IO,       [ACL_ABSENT] = ASC_ABSENT,
		[ACL_NO_MEMORY] = ASC_NOMEM, [ACL_TIMED_OUT] = ASC_TIMEOUT,
		[ACL_BROKEN] = ASC_IO,       [ACL_DEVICE_LOST] = ASC_IO};

	if (rc == 0)
		return ASC_OK;
	const char *name = acl_error_name(rc), *words = NULL;

	if (acl->recent_error)
		words = acl->recent_error();
	if (!words)
		words = "";
	/* The message proper: without blanks in front and the trace of the runtime's calls behind,
	 * which is longer than any line. */
	words += strspn(words, " \t\r\n\v\f");
	const char *trace = strstr(words, "TraceBack");
	size_t n = trace ? (size_t)(trace - words) : strlen(words);

	n = n < MAX_WORDS ? n : MAX_WORDS;
	while (n > 0 && isspace((unsigned char)words[n - 1]))
		n--;
	return asc_err_set(e, statuses[acl_error_meaning(rc)], "%s: %s%s%d%s%s%.*s", what,
			   name ? name : "error ", name ? " (" : "", rc, name ? ")" : "",
			   n > 0 ? ": " : "", (int)n, words);
}

#include "standin/standin_core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "standin/standin_context.h"
#include "standin/standin_listener.h"
#include "tuner/base/buf.h"
#include "tuner/base/units.h"

enum { MESSAGE_SIZE = 512, LINE_SIZE = 1024, CODES_OF_EXECUTION = 507000 };

pthread_mutex_t standin_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t standin_progress;

static struct {
	bool started, open, was_finalized;
	struct standin_control control;
	struct asc_err failure; /* of the control */
	int64_t calls, inside_ns;
	int log; /* descriptor; -1: none */
	int lost;
	char why_lost[MESSAGE_SIZE];
	struct standin_object *alive[STANDIN_N_KINDS];
	int64_t made[STANDIN_N_KINDS], freed[STANDIN_N_KINDS];
} core = {.log = -1};

const struct standin_listener *standin_listener;

static uint64_t correlations;
static __thread uint64_t correlation; /* of the call */
static __thread int64_t entered_ns;
static __thread char message[MESSAGE_SIZE], shown[MESSAGE_SIZE];

/* ---- log ---- */

static const char *const kind_names[] = {
#define X(id, name) name,
	STANDIN_KINDS(X)
#undef X
};

static void __attribute__((format(printf, 1, 0))) write_line(const char *format, va_list args)
{
	char line[LINE_SIZE];

	if (core.log < 0)
		return;
	str_print_line(line, sizeof line - 1, format, args);
	size_t n = strlen(line);
	line[n++] = '\n';
	if (write(core.log, line, n) != (ssize_t)n)
		core.log = -1;
}

void standin_log(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(format, args);
	va_end(args);
}

size_t standin_alive(enum standin_kind kind)
{
	return (size_t)(core.made[kind] - core.freed[kind]);
}

/* Logs what was made and freed, at finalize and when the process ends. */
static void log_balance(void)
{
	for (int i = 0; i < STANDIN_N_KINDS; i++)
		if (core.made[i])
			standin_log("balance %s: %lld made, %lld freed", kind_names[i],
				    (long long)core.made[i], (long long)core.freed[i]);
	standin_log("calls %lld, inside %lld ns", (long long)core.calls, (long long)core.inside_ns);
}

static void end(void)
{
	if (core.open)
		standin_log("end of process %ld without aclFinalize", (long)getpid());
	log_balance();
}

/* Opens the log. What cannot be written is a failure of the control: a fault that silently never
 * happens, or a log without calls, would make a test that cannot fail. */
static void open_log(const char *path)
{
	core.log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (core.log < 0 && !core.failure.status)
		(void)asc_err_set(&core.failure, ASC_IO, "STANDIN_LOG: %s: %s", path,
				  strerror(errno));
}

/* Checks that the file of `once` can be made, by making another one beside it. */
static void check_once(const char *path)
{
	char beside[sizeof core.control.once + 32];

	(void)snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
	const int file = open(beside, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (file >= 0) {
		close(file);
		unlink(beside);
	} else if (!core.failure.status) {
		(void)asc_err_set(&core.failure, ASC_IO, "STANDIN: once=%s: %s", path,
				  strerror(errno));
	}
}

static void start(void)
{
	const char *path = getenv("STANDIN_LOG");
	pthread_condattr_t clock;

	core.started = true;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&standin_progress, &clock);
	pthread_condattr_destroy(&clock);
	(void)standin_control_parse(getenv("STANDIN"), &core.control, &core.failure);
	if (path && *path)
		open_log(path);
	if (*core.control.once)
		check_once(core.control.once);
	standin_log("process %ld, %s, seed %llu", (long)getpid(), core.control.limits.name,
		    (unsigned long long)core.control.seed);
	(void)atexit(end);
}

/* ---- calls ---- */

int(standin_fail)(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	str_print_line(message, sizeof message, format, args);
	va_end(args);
	return code;
}

const char *standin_take_message(void)
{
	if (!*message)
		return NULL;
	memcpy(shown, message, sizeof shown);
	*message = '\0';
	return shown;
}

/* Code of the fault `err` where this call is meant, else 0. */
static int planned_failure(const char *name)
{
	const struct standin_fault_set *f = standin_find_fault(STANDIN_ERR);

	if (!f || f->number != core.calls || !standin_spend_once())
		return STANDIN_OK;
	if (f->code >= CODES_OF_EXECUTION)
		standin_lose(f->code, "fault err in call %lld, %s", (long long)core.calls, name);
	return standin_fail(f->code, "fault err in call %lld, %s", (long long)core.calls, name);
}

static int check_needs(const char *name, unsigned needs)
{
	const bool init = needs & (STANDIN_NEEDS_INIT | STANDIN_NEEDS_CONTEXT);

	if (init && !core.open)
		return standin_fail(ACL_UNINITIALIZE, "%s before aclInit or after aclFinalize",
				    name);
	if (core.lost && !(needs & STANDIN_WHEN_LOST))
		return standin_fail(core.lost, "%s", core.why_lost);
	if ((needs & STANDIN_NEEDS_CONTEXT) && !standin_context_current())
		return standin_fail(RT_CONTEXT_NULL, "%s in a thread without a context", name);
	return STANDIN_OK;
}

uint64_t standin_correlate(void)
{
	correlations++;
	correlation = correlation ? correlation : correlations;
	return correlations;
}

int standin_enter(const char *name, unsigned needs)
{
	correlation = 0;
	pthread_mutex_lock(&standin_lock);
	if (!core.started)
		start();
	entered_ns = clock_now_ns();
	core.calls++;
	const int code = check_needs(name, needs);
	return code ? code : planned_failure(name);
}

int standin_leave(const char *name, int code, const char *format, ...)
{
	const struct standin_call call = {.name = name,
					  .correlation = correlation,
					  .begin_ns = entered_ns,
					  .end_ns = clock_now_ns()};
	const int64_t inside_ns = call.end_ns - entered_ns;
	char detail[LINE_SIZE / 2];
	va_list args;

	if (core.control.log_calls && core.log >= 0) {
		va_start(args, format);
		str_print_line(detail, sizeof detail, format, args);
		va_end(args);
		standin_log("%ld %s %d %s (%lld ns)", (long)syscall(SYS_gettid), name, code, detail,
			    (long long)inside_ns);
	}
	core.inside_ns += inside_ns;
	STANDIN_NOTIFY(call, &call);
	pthread_mutex_unlock(&standin_lock);
	return code;
}

/* ---- state ---- */

const struct standin_control *standin_get_control(void)
{
	return &core.control;
}

const struct standin_fault_set *standin_find_fault(enum standin_fault fault)
{
	const struct standin_fault_set *f = &core.control.faults[fault];

	return f->on ? f : NULL;
}

bool standin_lock_alone(int *file)
{
	*file = -1;
	if (!*core.control.alone)
		return true;
	*file = open(core.control.alone, O_RDONLY | O_CREAT | O_CLOEXEC, 0666);
	return *file >= 0 && flock(*file, LOCK_EX | LOCK_NB) == 0;
}

bool standin_spend_once(void)
{
	if (!*core.control.once)
		return true;
	const int file = open(core.control.once, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (file < 0)
		return errno != EEXIST;
	close(file);
	return true;
}

void standin_lose(int code, const char *format, ...)
{
	va_list args;

	if (core.lost)
		return;
	core.lost = code;
	va_start(args, format);
	str_print_line(core.why_lost, sizeof core.why_lost, format, args);
	va_end(args);
	standin_log("lost %d %s", code, core.why_lost);
}

int standin_lost(void)
{
	return core.lost ? standin_fail(core.lost, "%s", core.why_lost) : STANDIN_OK;
}

void standin_recover(void)
{
	core.lost = 0;
}

int standin_init(void)
{
	if (core.failure.status)
		return standin_fail(ACL_INVALID_PARAM, "%s", core.failure.text);
	if (core.open)
		return standin_fail(ACL_REPEAT_INITIALIZE, "aclInit was called before");
	core.open = true;
	return STANDIN_OK;
}

int standin_finalize(void)
{
	if (!core.open)
		return standin_fail(core.was_finalized ? ACL_REPEAT_FINALIZE : ACL_UNINITIALIZE,
				    "aclFinalize without aclInit");
	standin_contexts_end();
	core.open = false;
	core.was_finalized = true;
	core.lost = 0;
	log_balance();
	return STANDIN_OK;
}

/* ---- objects ---- */

void *standin_new(enum standin_kind kind, size_t bytes)
{
	struct standin_object *o = calloc(1, bytes);

	if (!o)
		return NULL;
	o->kind = kind;
	o->next = core.alive[kind];
	if (o->next)
		o->next->previous = o;
	core.alive[kind] = o;
	core.made[kind]++;
	return o;
}

void standin_free(void *object)
{
	struct standin_object *o = object;

	if (o->next)
		o->next->previous = o->previous;
	if (o->previous)
		o->previous->next = o->next;
	else
		core.alive[o->kind] = o->next;
	core.freed[o->kind]++;
	free(o);
}

bool standin_is(enum standin_kind kind, const void *object)
{
	const struct standin_object *o = core.alive[kind];

	while (o && o != object)
		o = o->next;
	return o != NULL;
}

void *standin_first(enum standin_kind kind)
{
	return core.alive[kind];
}

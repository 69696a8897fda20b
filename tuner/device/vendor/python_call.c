/* Functions of Python, "python:torch.nn.functional:softmax" or "python:/FOLDER/FILE.py:softmax", in
 * a worker that a Python has loaded.
 *
 * The text tuner/python/python_call.py imports the function, binds its arguments once and looks at
 * what it returns (python_hooks.h). A launch calls the bound function from here, through entry
 * points of the interpreter that extension modules have too: they are found in the process, so that
 * no interpreter is linked. The result of a launch is held until the next one: freeing it is part
 * of that launch's time, as it is in a program that calls again and again.
 *
 * A function is called a few times before anything of it counts: first calls import, compile and
 * start threads. Whatever it has changed by then that a kernel may not change, the folder and the
 * floating-point environment, is put back. */
#include "tuner/device/vendor/python_hooks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/device/device.h"
#include "tuner/device/libs/work.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/workload/binding/binding.h"

enum { WARM_CALLS = 3, WARM_MOST = 10, POISON = 0xFF /* as of outputs (worker/poison.h) */ };

/* ---- the interpreter ---- */

/* member, symbol, result, parameters; the same from Python 3.9 on */
#define PYTHON_LIST(X)                                                                             \
	X(lock, PyGILState_Ensure, int, (void))                                                    \
	X(unlock, PyGILState_Release, void, (int state))                                           \
	X(call, PyObject_CallNoArgs, void *, (void *callable))                                     \
	X(drop, Py_DecRef, void, (void *object))                                                   \
	X(fetch, PyErr_Fetch, void, (void **type, void **value, void **traceback))                 \
	X(normalize, PyErr_NormalizeException, void, (void **type, void **value, void **traceback))

static struct {
#define X(member, symbol, result, parameters) result(*member) parameters;
	PYTHON_LIST(X)
#undef X
} python;

static const struct python_hooks *hooks;

/* True in a process that a function has forked, and that is to end where the function returns: it
 * has this one's channel and device. */
static volatile bool is_child;

static void note_child(void)
{
	is_child = true;
}

/* Has each process that is forked from now on note that it is one; once, however often a function
 * is looked for. */
static bool watch_forks(void)
{
	static bool watched;

	watched = watched || pthread_atfork(NULL, NULL, note_child) == 0;
	return watched;
}

void python_hooks_set(const struct python_hooks *h)
{
	hooks = h;
}

const struct python_hooks *python_hooks_get(void)
{
	return hooks;
}

static enum asc_status python_open(struct asc_err *e)
{
	static const char *const names[] = {
#define X(member, symbol, result, parameters) #symbol,
		PYTHON_LIST(X)
#undef X
	};
	void **const to[] = {
#define X(member, symbol, result, parameters) (void **)&python.member,
		PYTHON_LIST(X)
#undef X
	};

	if (!hooks)
		return asc_err_set(e, ASC_ABSENT,
				   "a function of Python is called in a Python, and none was "
				   "named: --python PATH, or $ASCTUNE_PYTHON");
	if (hooks->version != PYTHON_HOOKS_VERSION)
		return asc_err_set(e, ASC_ABSENT,
				   "the hooks of this Python have version %lld, expected %d",
				   (long long)hooks->version, PYTHON_HOOKS_VERSION);
	for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
		*to[i] = dlsym(RTLD_DEFAULT, names[i]);
		if (!*to[i])
			return asc_err_set(e, ASC_ABSENT, "this process has no %s: it is no Python",
					   names[i]);
	}
	return watch_forks() ? ASC_OK : asc_err_nomem(e);
}

/* Its identity is that of what it imports: pyproject's names and versions are no part of it here.
 */
static enum asc_status python_identity(const char *name, struct buf *out, struct asc_err *e)
{
	buf_add_str(out, name);
	return buf_check(out, e);
}

/* ---- calls ---- */

struct vendor_call {
	const struct device_ops *ops;
	struct device *device;
	int64_t number; /* that hooks know it by; 0: none */
	void *callable; /* borrowed from the hooks */
	void *result;   /* of the last launch; owned */
	int64_t launches;
	struct vendor_operand *returns; /* heap: where results are copied to */
	size_t n_returns;
	char *name; /* "softmax", for messages */
};

/* An integer is no pointer to an optimiser. */
static void *pointer_of(int64_t address)
{
	const uintptr_t at = (uintptr_t)address;
	void *pointer;

	memcpy(&pointer, &at, sizeof pointer);
	return pointer;
}

static const struct vendor_call *is_ready; /* the call that libraries are set up for */

/* Opens the answer of a hook; a failure becomes the status. */
static enum asc_status read_answer(const char *text, struct json_doc **out, struct asc_err *e)
{
	static const struct {
		const char *name;
		enum asc_status status;
	} kinds[] = {{"absent", ASC_ABSENT}, {"nomem", ASC_NOMEM}, {"input", ASC_INPUT}};
	const char *kind, *words;

	*out = NULL;
	if (!text || json_open_text("Python", text, strlen(text), out, e))
		return asc_err_set(e, ASC_INPUT, "Python gave no answer");
	const struct json_node *failure = json_find(json_root(*out), "failure");

	if (!failure)
		return ASC_OK;
	if (!json_get_string(failure, &kind, e) &&
	    !json_get_string(json_find(json_root(*out), "text"), &words, e)) {
		asc_err_set(e, ASC_INPUT, "%s", words);
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			if (strcmp(kinds[i].name, kind) == 0)
				e->status = kinds[i].status;
	}
	json_close(*out);
	*out = NULL;
	return e->status;
}

static int lock_state, lock_depth; /* several calls of a sequence hold the lock together */

/* A program that calls again and again has the interpreter's lock, too: taking and giving it is a
 * third of the time of a call that does nothing. */
static void python_hold(bool taken)
{
	if (taken && lock_depth++ == 0)
		lock_state = python.lock();
	if (!taken && --lock_depth == 0)
		python.unlock(lock_state);
}

/* Takes the exception that a call has raised, with the interpreter's lock. */
static enum asc_status fail_raised(const struct vendor_call *c, const char *when, int64_t number,
				   struct asc_err *e)
{
	void *raised[3] = {NULL, NULL, NULL};

	python.fetch(&raised[0], &raised[1], &raised[2]);
	python.normalize(&raised[0], &raised[1], &raised[2]);
	asc_err_set(e, ASC_INPUT, "%s, %s %lld: %s", c->name, when, (long long)number,
		    raised[0] ? hooks->explain(raised[0], raised[1], raised[2])
			      : "it failed without an exception");
	for (size_t i = 0; i < 3; i++)
		if (raised[i])
			python.drop(raised[i]);
	return e->status;
}

/* Calls the function; the result replaces the last one. */
static inline enum asc_status make_call(struct vendor_call *c, const char *when, int64_t number,
					struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	python_hold(true);
	if (c->result)
		python.drop(c->result);
	c->result = python.call(c->callable);
	if (is_child)
		_exit(0);
	if (!c->result)
		s = fail_raised(c, when, number, e);
	python_hold(false);
	return s;
}

static void drop_result(struct vendor_call *c)
{
	if (!c->result)
		return;
	python_hold(true);
	python.drop(c->result);
	python_hold(false);
	c->result = NULL;
}

static void python_fini(struct vendor_call *c)
{
	drop_result(c);
	if (c->number > 0)
		hooks->release(c->number);
	if (is_ready == c)
		is_ready = NULL;
	free(c->returns);
	free(c->name);
	free(c);
}

/* ---- phase one ---- */

static void write_tensor(struct json_writer *w, const char *key, const char *name,
			 const struct vendor_operand *o)
{
	json_write_begin(w, key, '{');
	json_write_string(w, "name", name);
	json_write_int(w, "address", (int64_t)(uintptr_t)o->address);
	json_write_string(w, "type", dtype_name(o->type));
	json_write_bool(w, "host", o->on_host);
	json_write_begin(w, "shape", '[');
	for (size_t k = 0; k < o->rank; k++)
		json_write_int(w, NULL, o->shape[k]);
	json_write_end(w, ']');
	json_write_begin(w, "strides", '[');
	for (size_t k = 0; k < o->rank; k++)
		json_write_int(w, NULL, o->strides[k]);
	json_write_end(w, ']');
	json_write_end(w, '}');
}

static void write_scalar(struct json_writer *w, const struct bound_argument *a)
{
	if (a->type == DTYPE_BOOL)
		json_write_bool(w, "value", a->scalar.i != 0);
	else if (dtype_is_float(a->type))
		json_write_real(w, "value", value_as_real(a->scalar));
	else
		json_write_value(w, "value", a->scalar);
}

/* Writes argument i; scratch memory is a tensor of bytes. */
static enum asc_status write_argument(struct json_writer *w, const struct vendor_site *site,
				      size_t i, struct asc_err *e)
{
	const struct bound_argument *a = &site->plan->arguments[i];
	struct vendor_operand o = site->operands[i];
	char place[32];

	if (a->kind == ARG_TENSOR_MAP || (a->kind == ARG_BUILTIN && a->builtin != BUILTIN_STREAM))
		return asc_err_set(e, ASC_INPUT,
				   "argument %zu: a function of Python takes tensors, scratch "
				   "memory, numbers, texts, lists, null and the builtin stream",
				   i);
	(void)snprintf(place, sizeof place, "argument %zu", i);
	json_write_begin(w, NULL, '{');
	if (a->name)
		json_write_string(w, "name", a->name);
	if (a->kind == ARG_SCRATCH) {
		o.type = DTYPE_U8;
		o.rank = 1;
		o.shape[0] = a->bytes;
		o.strides[0] = 1;
	}
	if (o.address)
		write_tensor(w, "tensor", a->name ? a->name : place, &o);
	if (a->kind == ARG_SCALAR)
		write_scalar(w, a);
	if (a->kind == ARG_BUILTIN)
		json_write_int(w, "value",
			       site->ops->info(site->device)->queues
				       ? (int64_t)(uintptr_t)site->queue
				       : 0);
	if (a->kind == ARG_TEXT)
		json_write_string(w, "value", a->text);
	if (a->kind == ARG_LIST) {
		json_write_begin(w, "list", '[');
		for (size_t k = 0; k < a->rank; k++)
			json_write_int(w, NULL, a->shape[k]);
		json_write_end(w, ']');
	}
	json_write_end(w, '}');
	return ASC_OK;
}

/* Writes the request as python_hooks.h has it. */
static enum asc_status write_request(const struct vendor_site *site, const char *function,
				     struct buf *out, struct asc_err *e)
{
	const struct plan *plan = site->plan;
	const struct python_use *use = plan->python;
	const bool queues = site->ops->info(site->device)->queues;
	struct json_writer w = {.out = out};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "function", function);
	json_write_bool(&w, "torch", use->torch);
	json_write_bool(&w, "make", use->make);
	json_write_string(&w, "available", use->available);
	json_write_int(&w, "threads", queues ? 0 : plan->threads);
	json_write_begin(&w, "device", '[');
	json_write_string(&w, NULL, site->ops->name);
	json_write_int(&w, NULL, site->ops->number ? site->ops->number(site->device) : 0);
	json_write_end(&w, ']');
	json_write_int(&w, "stream", queues ? (int64_t)(uintptr_t)site->queue : 0);
	json_write_begin(&w, "arguments", '[');
	for (size_t i = 0; i < plan->n_arguments; i++)
		if (!plan->arguments[i].returned && write_argument(&w, site, i, e))
			return e->status;
	json_write_end(&w, ']');
	json_write_begin(&w, "returns", '[');
	for (size_t i = 0; i < plan->n_arguments; i++)
		if (plan->arguments[i].returned)
			write_tensor(&w, NULL, plan->arguments[i].name, &site->operands[i]);
	json_write_end(&w, ']');
	json_write_end(&w, '}');
	return buf_check(out, e);
}

static void take_returns(struct vendor_call *c, const struct vendor_site *site)
{
	c->n_returns = 0;
	for (size_t i = 0; i < site->plan->n_arguments; i++)
		if (site->plan->arguments[i].returned)
			c->returns[c->n_returns++] = site->operands[i];
}

static enum asc_status take_callable(struct vendor_call *c, const struct json_doc *doc,
				     struct asc_err *e)
{
	int64_t address;

	if (json_get_int(json_find(json_root(doc), "callable"), &address, e))
		return e->status;
	c->callable = pointer_of(address);
	return ASC_OK;
}

/* Makes a warm-up call, and sees what the device does. *watched becomes false where nothing is
 * known of that. A watch that has begun is ended whatever the call does. */
static enum asc_status watch_call(struct vendor_call *c, int64_t number, size_t expected,
				  const struct work **list, size_t *n, bool *watched,
				  struct asc_err *e)
{
	struct asc_err second;
	enum asc_status s = ASC_OK;

	if (*watched)
		s = c->ops->watch(c->device, e);
	if (s && s != ASC_ABSENT)
		return s;
	*watched &= s == ASC_OK;
	s = make_call(c, "warm-up call", number, e);
	if (!*watched)
		return s ? s : c->ops->wait(c->device, e);
	if (c->ops->watched(c->device, expected, list, n, s ? &second : e) && !s)
		s = e->status;
	return s;
}

/* Makes calls until what they start, compile and choose is there: until the device has done the
 * same several times in a row. Where nothing is known of that, a few calls have to do. */
static enum asc_status warm_up(struct vendor_call *c, struct vendor_needs *needs, struct asc_err *e)
{
	struct work_history h = {0};
	const struct work *list = NULL;
	bool warm = false, watched = c->ops->watch != NULL;
	enum asc_status s = ASC_OK;
	size_t n = 0;

	for (int64_t i = 1; !s && !warm && i <= WARM_MOST; i++) {
		s = watch_call(c, i, h.n, &list, &n, &watched, e);
		if (!s && watched)
			s = work_history_add(&h, list, n, &warm, e);
		warm |= !watched && i >= WARM_CALLS;
	}
	if (!s && !warm)
		s = asc_err_set(e, ASC_INPUT,
				"%s has not done the same on the device %d times in a row in %d "
				"calls; last difference: %s",
				c->name, WORK_WARM, WARM_MOST, h.differs);
	if (!s && watched && h.n == 0)
		s = asc_err_set(e, ASC_INPUT,
				"%s does nothing on the device, or another profiler of this "
				"process has the records: expected kernels, copies or fills",
				c->name);
	if (!s && watched)
		work_print(list, n, needs->work, sizeof needs->work);
	work_history_fini(&h);
	return s;
}

static enum asc_status fill_call(struct vendor_call *c, const struct vendor_site *site,
				 const char *function, struct vendor_needs *needs,
				 struct asc_err *e)
{
	const struct plan *plan = site->plan;
	const char *colon = strrchr(function, ':'), *note = "";
	struct buf request = {0};
	struct json_doc *doc = NULL;

	c->ops = site->ops;
	c->device = site->device;
	c->name = strdup(colon ? colon + 1 : function);
	c->returns = calloc(plan->n_arguments + 1, sizeof *c->returns);
	if (!c->name || !c->returns)
		return asc_err_nomem(e);
	take_returns(c, site);
	enum asc_status s = write_request(site, function, &request, e);

	if (!s)
		s = read_answer(hooks->prepare(request.data), &doc, e);
	buf_fini(&request);
	if (s)
		return s;
	if (json_get_int(json_find(json_root(doc), "call"), &c->number, e) ||
	    take_callable(c, doc, e) ||
	    json_get_string(json_find(json_root(doc), "note"), &note, e))
		s = e->status;
	(void)snprintf(needs->note, sizeof needs->note, "%s", note);
	json_close(doc);
	is_ready = s ? NULL : c;
	if (!s)
		s = warm_up(c, needs, e);
	drop_result(c);
	return s;
}

/* Settings of the process that code of Python may change, and that are put back. */
struct surroundings {
	int folder; /* that the process works in; negative: it cannot be kept */
	fenv_t floats;
	bool has_floats;
};

static struct surroundings look_around(void)
{
	struct surroundings s = {.folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)};

	s.has_floats = fegetenv(&s.floats) == 0;
	return s;
}

static void put_back(const struct surroundings *s)
{
	if (s->has_floats)
		(void)fesetenv(&s->floats);
	if (s->folder < 0)
		return;
	(void)fchdir(s->folder);
	close(s->folder);
}

static enum asc_status python_prepare(const struct vendor_site *site, const char *function,
				      struct vendor_call **out, struct vendor_needs *needs,
				      struct asc_err *e)
{
	struct vendor_call *c = calloc(1, sizeof *c);

	*out = NULL;
	if (!c)
		return asc_err_nomem(e);
	const struct surroundings before = look_around();
	const enum asc_status s = fill_call(c, site, function, needs, e);

	put_back(&before);
	if (s)
		python_fini(c);
	else
		*out = c;
	return s;
}

static enum asc_status python_move(struct vendor_call *c, const struct vendor_site *site,
				   const char *function, struct asc_err *e)
{
	struct buf request = {0};
	struct json_doc *doc = NULL;

	drop_result(c);
	take_returns(c, site);
	enum asc_status s = write_request(site, function, &request, e);

	/* A made function may be made again: code of Python runs. */
	const struct surroundings before = look_around();

	if (!s)
		s = read_answer(hooks->move(c->number, request.data), &doc, e);
	put_back(&before);
	if (!s)
		s = take_callable(c, doc, e);
	buf_fini(&request);
	json_close(doc);
	return s ? asc_err_wrap(e, "%s at other addresses", c->name) : ASC_OK;
}

/* ---- launches ---- */

static void python_ready(struct vendor_call *c)
{
	if (is_ready == c)
		return;
	hooks->ready(c->number);
	is_ready = c;
}

static enum asc_status python_enqueue(struct vendor_call *c, void *workspace, struct asc_err *e)
{
	(void)workspace;
	c->launches++;
	return make_call(c, "launch", c->launches, e);
}

/* ---- what a launch has returned ---- */

struct span { /* bytes that a tensor lies in, gaps between its elements included */
	char *begin;
	size_t bytes;
	int64_t first; /* of its first element in there */
};

static struct span span_of(const struct vendor_operand *o)
{
	const int64_t size = (int64_t)dtype_bytes(o->type);
	int64_t low = 0, high = 0;

	for (size_t k = 0; k < o->rank; k++) {
		const int64_t last = (o->shape[k] - 1) * o->strides[k] * size;

		if (o->shape[k] == 0)
			return (struct span){o->address, 0, 0};
		low += last < 0 ? last : 0;
		high += last > 0 ? last : 0;
	}
	return (struct span){(char *)o->address + low, (size_t)(high - low + size), -low};
}

/* Finds how many elements follow each other in both tensors; returns the number of dimensions that
 * are outside of such a run. */
static size_t find_run(const struct vendor_operand *a, const struct vendor_operand *b, int64_t *run)
{
	size_t k = a->rank;

	for (*run = 1; k > 0; *run *= a->shape[--k])
		if (a->shape[k - 1] != 1 &&
		    (a->strides[k - 1] != *run || b->strides[k - 1] != *run))
			break;
	return k;
}

/* Moves along the first dimensions of a tensor in the order of indices; false behind the last. */
static bool step(const struct vendor_operand *o, size_t rank, int64_t index[WORKLOAD_MAX_RANK],
		 int64_t *at, const struct vendor_operand *other, int64_t *other_at)
{
	for (size_t k = rank; k-- > 0;) {
		*at += o->strides[k];
		*other_at += other->strides[k];
		if (++index[k] < o->shape[k])
			return true;
		*at -= o->shape[k] * o->strides[k];
		*other_at -= o->shape[k] * other->strides[k];
		index[k] = 0;
	}
	return false;
}

/* Copies the elements of `from` to those of `to`, whose spans lie in the host's memory, and poisons
 * those of `from`. */
static void take_elements(const struct vendor_operand *from, char *source,
			  struct vendor_operand *to, char *target)
{
	const int64_t size = (int64_t)dtype_bytes(from->type);
	int64_t index[WORKLOAD_MAX_RANK] = {0}, at = 0, to_at = 0, run;
	const size_t rank = find_run(from, to, &run);

	/* All are copied before any is poisoned: elements may lie on each other. */
	do
		memcpy(target + to_at * size, source + at * size, (size_t)(run * size));
	while (step(from, rank, index, &at, to, &to_at));
	at = to_at = 0;
	do
		memset(source + at * size, POISON, (size_t)(run * size));
	while (step(from, rank, index, &at, to, &to_at));
}

/* Copies a result to its tensor and poisons it where it lies: its memory may be given to the next
 * call, which is not to find right numbers there. */
static enum asc_status take_result(struct vendor_call *c, struct vendor_operand *to,
				   const struct vendor_operand *from, struct asc_err *e)
{
	const struct span source = span_of(from), target = span_of(to);
	int64_t run;

	if (source.bytes == 0)
		return ASC_OK;
	if (c->ops->take && find_run(from, to, &run) == 0)
		return c->ops->take(c->device, target.begin, source.begin, source.bytes, POISON, e);
	/* Elements between others, or in another order: by way of the host's memory. */
	char *held = malloc(source.bytes + target.bytes + 1);
	char *const copy = held ? held + source.bytes : NULL;
	enum asc_status s = held ? ASC_OK : asc_err_nomem(e);

	if (!s)
		s = c->ops->fetch(c->device, source.begin, held, source.bytes, e);
	if (!s && to->scattered)
		s = c->ops->fetch(c->device, target.begin, copy, target.bytes, e);
	if (!s) {
		take_elements(from, held + source.first, to, copy + target.first);
		s = c->ops->store(c->device, target.begin, copy, target.bytes, e);
	}
	if (!s)
		s = c->ops->store(c->device, source.begin, held, source.bytes, e);
	if (held) /* right outputs are not for the next kernel */
		memset(held, 0, source.bytes + target.bytes);
	free(held);
	return s;
}

static enum asc_status read_result(const struct json_node *n, const struct vendor_operand *to,
				   struct vendor_operand *out, struct asc_err *e)
{
	const struct json_node *stride = json_first(json_find(n, "strides"));
	int64_t address;

	*out = *to;
	if (json_get_int(json_find(n, "address"), &address, e))
		return e->status;
	out->address = pointer_of(address);
	for (size_t k = 0; k < out->rank; k++, stride = json_next(stride))
		if (json_get_int(stride, &out->strides[k], e))
			return e->status;
	return ASC_OK;
}

static enum asc_status python_collect(struct vendor_call *c, struct asc_err *e)
{
	struct json_doc *doc;
	struct vendor_operand from;

	if (c->n_returns == 0 || !c->result)
		return ASC_OK;
	if (read_answer(hooks->collect(c->number, c->result), &doc, e))
		return asc_err_wrap(e, "%s, launch %lld", c->name, (long long)c->launches);
	const struct json_node *n = json_first(json_find(json_root(doc), "results"));
	enum asc_status s = ASC_OK;

	for (size_t i = 0; !s && i < c->n_returns; i++, n = json_next(n)) {
		s = read_result(n, &c->returns[i], &from, e);
		if (!s)
			s = take_result(c, &c->returns[i], &from, e);
	}
	json_close(doc);
	drop_result(c);
	return s;
}

const struct vendor_ops vendor_python = {
	.revision = 1,
	.name = "python",
	.summary = "functions of Python, in the Python of --python",
	.open = python_open,
	.identity = python_identity,
	.warms = true,
	.anywhere = true,
	.prepare = python_prepare,
	.move = python_move,
	.ready = python_ready,
	.hold = python_hold,
	.enqueue = python_enqueue,
	.collect = python_collect,
	.fini = python_fini,
};

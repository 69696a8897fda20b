#include "tuner/device/vendor/aclnn_operator.h"

#include <assert.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/device/libs/library.h"

/* ---- objects ---- */

const struct library_symbol aclnn_object_symbols[] = {
#define X(member, symbol, result, parameters, optional)                                            \
	{#symbol, offsetof(struct aclnn_objects, member), optional},
	ACLNN_OBJECT_LIST(X)
#undef X
		{0}};

static const char *const object_files[] = {"libnnopbase.so", NULL};
static struct aclnn_objects objects;
static struct library object_library = {.files = object_files,
					.toolkit = &toolkit_cann,
					.symbols = aclnn_object_symbols,
					.table = &objects};

enum asc_status aclnn_objects_open(const struct aclnn_objects **out, struct asc_err *e)
{
	*out = &objects;
	return library_once(&object_library, e);
}

/* ---- libraries of operators ---- */

/* In the order in which CANN's own adapters look for an operator: a user's own first. */
static const char *const operator_files[] = {
	"libcust_opapi.so",      "libopapi.so",           "libopapi_math.so",
	"libopapi_nn.so",        "libopapi_cv.so",        "libopapi_transformer.so",
	"libopapi_oam.so",       "libopapi_legacy.so",    "libaclnn_math.so",
	"libaclnn_ops_infer.so", "libaclnn_ops_train.so", "libaclnn_rand.so",
	"libaclnn_sparse.so",    "libaclnn_fft.so",       NULL};

enum { MAX_OPERATORS = 32, NAME_SIZE = 64 };

/* One operator's library: the first of the files that has both of its functions. */
struct slot {
	struct aclnn_operator found;
	struct aclnn_functions functions;
	char plan[NAME_SIZE], launch[NAME_SIZE];
	struct library_symbol symbols[3];
	struct library library;
};

static struct slot slots[MAX_OPERATORS];

/* Prepares a slot; again with the same outcome, so that two threads may. */
static void fill_slot(struct slot *s, const struct aclnn_signature *signature)
{
	(void)snprintf(s->plan, sizeof s->plan, "aclnn%sGetWorkspaceSize", signature->name);
	(void)snprintf(s->launch, sizeof s->launch, "aclnn%s", signature->name);
	s->symbols[0] =
		(struct library_symbol){s->plan, offsetof(struct aclnn_functions, plan), false};
	s->symbols[1] =
		(struct library_symbol){s->launch, offsetof(struct aclnn_functions, launch), false};
	s->library.files = operator_files;
	s->library.usual = "libopapi.so";
	s->library.toolkit = &toolkit_cann;
	s->library.symbols = s->symbols;
	s->library.table = &s->functions;
	s->found = (struct aclnn_operator){signature, &s->functions};
}

enum asc_status aclnn_operator_open(const char *name, const struct aclnn_operator **out,
				    struct asc_err *e)
{
	size_t i = 0;

	while (aclnn_signatures[i].name && strcmp(aclnn_signatures[i].name, name) != 0)
		i++;
	if (!aclnn_signatures[i].name || i == MAX_OPERATORS)
		return asc_err_set(e, ASC_ABSENT, "aclnn has no operator \"%s\" here", name);
	if (!slots[i].library.tried)
		fill_slot(&slots[i], &aclnn_signatures[i]);
	*out = &slots[i].found;
	return library_once(&slots[i].library, e)
		       ? asc_err_wrap(e, "no libopapi*.so has aclnn%s", name)
		       : ASC_OK;
}

void aclnn_operator_print_file(const struct aclnn_operator *o, struct buf *out)
{
	void *function;
	struct stat info;
	Dl_info where;

	memcpy(&function, &o->functions->launch, sizeof function);
	if (!dladdr(function, &where) || !where.dli_fname || stat(where.dli_fname, &info) != 0)
		return;
	buf_print(out, ", %s of %lld bytes", path_name(where.dli_fname), (long long)info.st_size);
}

/* ---- signatures ---- */

/* Signatures from the documents and headers of hicann/ops-math@c41933244 and f3ec6342,
 * hicann/ops-nn@e5c3fa932, and hicann/ops-transformer@c29bc1069 and 827a6040. */
#define OPERATORS(X)                                                                               \
	X("Add", {ACLNN_IN, "self"}, {ACLNN_IN, "other"}, {ACLNN_SCALAR, "alpha"},                 \
	  {ACLNN_OUT, "out"})                                                                      \
	X("Mul", {ACLNN_IN, "self"}, {ACLNN_IN, "other"}, {ACLNN_OUT, "out"})                      \
	X("Cast", {ACLNN_IN, "self"}, {ACLNN_TYPE, "dtype"}, {ACLNN_OUT, "out"})                   \
	X("Cat", {ACLNN_LIST, "tensors"}, {ACLNN_AXIS, "dim"}, {ACLNN_OUT, "out"})                 \
	X("Silu", {ACLNN_IN, "self"}, {ACLNN_OUT, "out"})                                          \
	X("SwiGlu", {ACLNN_IN, "x"}, {ACLNN_AXIS, "dim"}, {ACLNN_OUT, "out"})                      \
	X("RmsNorm", {ACLNN_IN, "x"}, {ACLNN_IN, "gamma"}, {ACLNN_REAL, "epsilon"},                \
	  {ACLNN_OUT, "y"}, {ACLNN_STATISTICS, "rstd"})                                            \
	X("AddRmsNorm", {ACLNN_IN, "x1"}, {ACLNN_IN, "x2"}, {ACLNN_IN, "gamma"},                   \
	  {ACLNN_REAL, "epsilon"}, {ACLNN_OUT, "y"}, {ACLNN_STATISTICS, "rstd"}, {ACLNN_OUT, "x"}) \
	X("Softmax", {ACLNN_IN, "self"}, {ACLNN_AXIS, "dim"}, {ACLNN_OUT, "out"})                  \
	X("Mm", {ACLNN_IN, "self"}, {ACLNN_IN, "mat2"}, {ACLNN_OUT, "out"},                        \
	  {ACLNN_CUBE, "cubeMathType"})                                                            \
	X("Matmul", {ACLNN_IN, "self"}, {ACLNN_IN, "mat2"}, {ACLNN_OUT, "out"},                    \
	  {ACLNN_CUBE, "cubeMathType"})                                                            \
	X("Addmm", {ACLNN_IN, "self"}, {ACLNN_IN, "mat1"}, {ACLNN_IN, "mat2"},                     \
	  {ACLNN_SCALAR, "beta"}, {ACLNN_SCALAR, "alpha"}, {ACLNN_OUT, "out"},                     \
	  {ACLNN_CUBE, "cubeMathType"})                                                            \
	X("Baddbmm", {ACLNN_IN, "self"}, {ACLNN_IN, "batch1"}, {ACLNN_IN, "batch2"},               \
	  {ACLNN_SCALAR, "beta"}, {ACLNN_SCALAR, "alpha"}, {ACLNN_OUT, "out"},                     \
	  {ACLNN_CUBE, "cubeMathType"})                                                            \
	X("InplaceCopy", {ACLNN_REF, "selfRef"}, {ACLNN_IN, "src"})                                \
	X("InplaceMaskedFillScalar", {ACLNN_REF, "selfRef"}, {ACLNN_IN, "mask"},                   \
	  {ACLNN_SCALAR, "value"})                                                                 \
	X("IndexSelect", {ACLNN_IN, "self"}, {ACLNN_AXIS, "dim"}, {ACLNN_IN, "index"},             \
	  {ACLNN_OUT, "out"})                                                                      \
	X("ApplyRotaryPosEmbV2", {ACLNN_REF, "queryRef"}, {ACLNN_REF, "keyRef"},                   \
	  {ACLNN_IN, "cos"}, {ACLNN_IN, "sin"}, {ACLNN_AXIS, "layout"},                            \
	  {ACLNN_TEXT, "rotaryMode"})                                                              \
	X("RopeWithSinCosCache", {ACLNN_IN, "positions"}, {ACLNN_IN, "queryIn"},                   \
	  {ACLNN_IN, "keyIn"}, {ACLNN_IN, "cosSinCache"}, {ACLNN_INTS, "mropeSection"},            \
	  {ACLNN_AXIS, "headSize"}, {ACLNN_TRUTH, "isNeoxStyle"}, {ACLNN_OUT, "queryOut"},         \
	  {ACLNN_OUT, "keyOut"})                                                                   \
	X("InplaceIndexCopy", {ACLNN_REF, "selfRef"}, {ACLNN_AXIS, "dim"}, {ACLNN_IN, "index"},    \
	  {ACLNN_IN, "source"})                                                                    \
	X("ScatterPaKvCache", {ACLNN_IN, "key"}, {ACLNN_REF, "keyCacheRef"},                       \
	  {ACLNN_IN, "slotMapping"}, {ACLNN_IN, "value"}, {ACLNN_REF, "valueCacheRef"},            \
	  {ACLNN_OPTIONAL, "compressLens"}, {ACLNN_OPTIONAL, "compressSeqOffset"},                 \
	  {ACLNN_OPTIONAL, "seqLens"}, {ACLNN_TEXT, "cacheMode"}, {ACLNN_TEXT, "scatterMode"},     \
	  {ACLNN_INTS, "strides"}, {ACLNN_INTS, "offsets"})

const struct aclnn_signature aclnn_signatures[] = {
#define X(name, ...) {name, {__VA_ARGS__, {ACLNN_END, NULL}}},
	OPERATORS(X)
#undef X
		{NULL, {{ACLNN_END, NULL}}}};

const char *const aclnn_names[] = {
#define X(name, ...) name,
	OPERATORS(X)
#undef X
		NULL};

/* ---- forms ---- */

/* C types of the parameters in order: p a pointer, i int64_t, d double, b int8_t, e int, t bool. */
static const char types[ACLNN_KINDS] = {
	[ACLNN_IN] = 'p',         [ACLNN_OUT] = 'p',  [ACLNN_LIST] = 'p',     [ACLNN_AXIS] = 'i',
	[ACLNN_REAL] = 'd',       [ACLNN_CUBE] = 'b', [ACLNN_TYPE] = 'e',     [ACLNN_SCALAR] = 'p',
	[ACLNN_STATISTICS] = 'p', [ACLNN_REF] = 'p',  [ACLNN_OPTIONAL] = 'p', [ACLNN_INTS] = 'p',
	[ACLNN_TEXT] = 'p',       [ACLNN_TRUTH] = 't'};

#define P(n) v[n].object

#define FORMS(X)                                                                                   \
	X(pp, (void *, void *, uint64_t *, void **), P(0), P(1))                                   \
	X(ppp, (void *, void *, void *, uint64_t *, void **), P(0), P(1), P(2))                    \
	X(pppp, (void *, void *, void *, void *, uint64_t *, void **), P(0), P(1), P(2), P(3))     \
	X(pep, (void *, int, void *, uint64_t *, void **), P(0), v[1].type, P(2))                  \
	X(pip, (void *, int64_t, void *, uint64_t *, void **), P(0), v[1].axis, P(2))              \
	X(pppb, (void *, void *, void *, int8_t, uint64_t *, void **), P(0), P(1), P(2),           \
	  v[3].cube)                                                                               \
	X(ppdpp, (void *, void *, double, void *, void *, uint64_t *, void **), P(0), P(1),        \
	  v[2].real, P(3), P(4))                                                                   \
	X(pppdppp, (void *, void *, void *, double, void *, void *, void *, uint64_t *, void **),  \
	  P(0), P(1), P(2), v[3].real, P(4), P(5), P(6))                                           \
	X(ppppppb, (void *, void *, void *, void *, void *, void *, int8_t, uint64_t *, void **),  \
	  P(0), P(1), P(2), P(3), P(4), P(5), v[6].cube)                                           \
	X(pipp, (void *, int64_t, void *, void *, uint64_t *, void **), P(0), v[1].axis, P(2),     \
	  P(3))                                                                                    \
	X(ppppip, (void *, void *, void *, void *, int64_t, void *, uint64_t *, void **), P(0),    \
	  P(1), P(2), P(3), v[4].axis, P(5))                                                       \
	X(pppppitpp,                                                                               \
	  (void *, void *, void *, void *, void *, int64_t, bool, void *, void *, uint64_t *,      \
	   void **),                                                                               \
	  P(0), P(1), P(2), P(3), P(4), v[5].axis, v[6].truth, P(7), P(8))                         \
	X(pppppppppppp,                                                                            \
	  (void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, \
	   void *, uint64_t *, void **),                                                           \
	  P(0), P(1), P(2), P(3), P(4), P(5), P(6), P(7), P(8), P(9), P(10), P(11))

#define X(form, parameters, ...)                                                                   \
	static int call_##form(aclnn_phase_one *f, const union aclnn_value *v, uint64_t *bytes,    \
			       void **executor)                                                    \
	{                                                                                          \
		int(*typed) parameters = (int(*) parameters)f;                                     \
                                                                                                   \
		return typed(__VA_ARGS__, bytes, executor);                                        \
	}
FORMS(X)
#undef X

static const struct {
	const char *types;
	int (*call)(aclnn_phase_one *f, const union aclnn_value *v, uint64_t *bytes,
		    void **executor);
} forms[] = {
#define X(form, parameters, ...) {#form, call_##form},
	FORMS(X)
#undef X
		{NULL, NULL}};

int aclnn_plan(const struct aclnn_signature *s, aclnn_phase_one *f, const union aclnn_value *values,
	       uint64_t *workspace_bytes, void **executor)
{
	char wanted[ACLNN_MAX_PARAMETERS + 1] = "";
	size_t i = 0;

	for (size_t k = 0; s->takes[k].kind != ACLNN_END; k++)
		wanted[k] = types[s->takes[k].kind];
	while (forms[i].types && strcmp(forms[i].types, wanted) != 0)
		i++;
	assert(forms[i].types);
	return forms[i].call(f, values, workspace_bytes, executor);
}

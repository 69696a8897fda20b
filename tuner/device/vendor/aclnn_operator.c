#include "tuner/device/vendor/aclnn_operator.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/buf.h"
#include "tuner/device/libs/library.h"
#include "tuner/device/vendor/aclnn_signature.h"

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

/* ---- operators ---- */

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
	const char *slash = strrchr(where.dli_fname, '/');

	buf_print(out, ", %s of %lld bytes", slash ? slash + 1 : where.dli_fname,
		  (long long)info.st_size);
}

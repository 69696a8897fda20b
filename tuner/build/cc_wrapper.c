#include "tuner/build/cc_wrapper.h"

#include "tuner/base/buf.h"
#include "tuner/build/builder.h"
#include "tuner/build/macros.h"

/* The reference and fill functions see doubles only. */
static const char *tensor_type(const struct build_job *job, size_t tensor)
{
	return job->implementation ? dtype_ctype(job->binding->tensors[tensor].dtype) : "double";
}

static enum asc_status print_argument(const struct build_job *job, size_t i, struct buf *out,
				      struct asc_err *e)
{
	const struct bound_argument *a = &job->plan->arguments[i];

	buf_add_str(out, i ? ",\n\t\t" : "\n\t\t");
	switch (a->kind) {
	case ARG_TENSOR:
		buf_print(out, "(%s *)*(void *const *)asctune_args[%zu]",
			  tensor_type(job, a->tensor), i);
		break;
	case ARG_SCRATCH: buf_print(out, "*(void *const *)asctune_args[%zu]", i); break;
	case ARG_SCALAR:
		buf_print(out, "*(const %s *)asctune_args[%zu]", dtype_ctype(a->type), i);
		break;
	case ARG_BUILTIN: buf_print(out, "*(const int64_t *)asctune_args[%zu]", i); break;
	case ARG_TENSOR_MAP:
		return asc_err_set(e, ASC_INPUT, "argument %zu: a CPU has no tensor maps", i);
	}
	return ASC_OK;
}

/* Arguments are passed as what they are, so that the compiler refuses a kernel with other
 * parameters; a scalar that would be narrowed is refused too. */
enum asc_status cc_wrapper_print(const struct build_job *job, char **out, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status s = macros_check_name("entry", job->entry, e);

	*out = NULL;
	buf_add_str(&text, "#include <stdint.h>\n"
			   "#pragma GCC diagnostic error \"-Wconversion\"\n"
			   "#pragma GCC diagnostic error \"-Wsign-conversion\"\n"
			   "void asctune_launch(void *const *asctune_args);\n"
			   "__attribute__((visibility(\"default\"))) "
			   "void asctune_launch(void *const *asctune_args)\n"
			   "{\n"
			   "\t(void)asctune_args;\n");
	if (s == ASC_OK)
		buf_print(&text, "\t%s(", job->entry);
	for (size_t i = 0; i < job->plan->n_arguments && s == ASC_OK; i++)
		s = print_argument(job, i, &text, e);
	buf_add_str(&text, ");\n}\n");
	if (s == ASC_OK)
		s = buf_check(&text, e);
	if (s == ASC_OK)
		*out = buf_take(&text);
	buf_fini(&text);
	return s;
}

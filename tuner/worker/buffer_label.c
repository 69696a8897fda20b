#include "tuner/worker/buffer_label.h"

#include "tuner/base/buf.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/workload/binding/binding.h"

static void add_shape(struct buf *text, enum dtype type, const int64_t *shape, size_t rank)
{
	buf_print(text, "%s[", dtype_name(type));
	for (size_t i = 0; i < rank; i++)
		buf_print(text, "%s%lld", i ? ", " : "", (long long)shape[i]);
	buf_add_char(text, ']');
}

static void label(const struct device_ops *ops, struct device_buffer *b, struct buf *text)
{
	if (!text->failed) /* without memory for it, there is a general label */
		ops->label(b, buf_str(text));
	buf_fini(text);
}

void buffer_label_tensor(const struct device_ops *ops, struct device_buffer *b, const char *name,
			 const struct bound_tensor *t, enum dtype type)
{
	struct buf text = {0};

	if (!b || !ops->label)
		return;
	buf_print(&text, "%s (", name);
	add_shape(&text, type, t->shape, t->rank);
	buf_add_char(&text, ')');
	label(ops, b, &text);
}

void buffer_label_scratch(const struct device_ops *ops, struct device_buffer *b, const char *name,
			  const struct bound_argument *a)
{
	char bytes[UNITS_TEXT_SIZE];
	struct buf text = {0};

	if (!b || !ops->label)
		return;
	if (name) {
		buf_print(&text, "scratch tensor %s (", name);
		add_shape(&text, a->type, a->shape, a->rank);
		buf_add_char(&text, ')');
	} else {
		buf_print(&text, "a scratch buffer (%s)",
			  units_print_bytes((double)a->bytes, bytes));
	}
	label(ops, b, &text);
}

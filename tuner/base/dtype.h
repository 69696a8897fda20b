/* Element types of tensors: their names, sizes, and conversion to and from double.
 *
 * f16, bf16, f8e4m3 and f8e5m2 are stored as uint16_t and uint8_t and converted by bits, since C17
 * has no such types. f8e4m3 and f8e5m2 are E4M3 and E5M2 of "OCP 8-bit Floating Point Specification
 * (OFP8)" 1.0, 2023: f8e4m3 has no infinities, its one NaN of either sign is 0x7f. */
#ifndef ASCTUNE_BASE_DTYPE_H
#define ASCTUNE_BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

/* id, name, bytes, C type of a kernel's parameter, floating */
#define DTYPE_LIST(X)                                                                              \
	X(F64, "f64", 8, "double", true)                                                           \
	X(F32, "f32", 4, "float", true)                                                            \
	X(F16, "f16", 2, "uint16_t", true)                                                         \
	X(BF16, "bf16", 2, "uint16_t", true)                                                       \
	X(F8E4M3, "f8e4m3", 1, "uint8_t", true)                                                    \
	X(F8E5M2, "f8e5m2", 1, "uint8_t", true)                                                    \
	X(I64, "i64", 8, "int64_t", false)                                                         \
	X(I32, "i32", 4, "int32_t", false)                                                         \
	X(I16, "i16", 2, "int16_t", false)                                                         \
	X(I8, "i8", 1, "int8_t", false)                                                            \
	X(U64, "u64", 8, "uint64_t", false)                                                        \
	X(U32, "u32", 4, "uint32_t", false)                                                        \
	X(U16, "u16", 2, "uint16_t", false)                                                        \
	X(U8, "u8", 1, "uint8_t", false)                                                           \
	X(BOOL, "bool", 1, "uint8_t", false)

enum dtype {
#define X(id, name, bytes, ctype, floating) DTYPE_##id,
	DTYPE_LIST(X)
#undef X
		DTYPE_COUNT
};

bool dtype_parse(const char *name, enum dtype *out);

/* Names of the types in other systems, ended by a NULL `other`. */
struct dtype_alias {
	const char *other, *name;
};
extern const struct dtype_alias dtype_aliases[];
const char *dtype_means(
	const char *other); /* the name here of another system's type (float32: f32); NULL: none */
const char *const *dtype_names(void); /* NULL-terminated, in the order of the enumeration */
const char *dtype_name(enum dtype t);
const char *dtype_ctype(enum dtype t);
size_t dtype_bytes(enum dtype t);
bool dtype_is_float(enum dtype t);
double dtype_largest(enum dtype t); /* the largest finite number of a floating type */

/* n elements. Floating types: rounded to nearest, ties to even; what rounds to more than the
 * largest number becomes an infinity, in f8e4m3 a NaN. Integers are rounded to nearest and clamped
 * to the type's range, NaN becomes 0. */
void dtype_from_double(enum dtype t, const double *in, void *out, size_t n);
void dtype_to_double(enum dtype t, const void *in, double *out, size_t n);

#endif

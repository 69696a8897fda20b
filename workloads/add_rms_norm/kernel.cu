/* A sum and its root-mean-square normalisation: x_out = x1 + x2, rounded to the type,
 * y_out = x_out / sqrt(mean(x_out^2) + epsilon) gamma.
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, UNROLL, STREAM, EARLY, LATE (cuda/rows.h); MIN_BLOCKS,
 * how many blocks a multiprocessor is to hold. */
#include "../cuda/rows.h"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
	add_rms_norm(const element *x1, const element *x2, const NUMBER(W)::type *gamma,
		     element *y_out, element *x_out, int rows, int columns,
		     long long group, long long gap, long long gap_out, float epsilon)
{
	typedef Pair<Element, Element> Two;
	const Source<Element> from1 = {x1, columns, group, gap};
	const Source<Element> from2 = {x2, columns, group, gap};
	const Matrix<Element> to(x_out, columns, group, gap_out);
	const float inverse = reciprocal((float)columns);

	rows_norm<Element, NUMBER(W)>(
		Matrix<Element>(y_out, columns, group, gap_out), rows, columns,
		[=](int row) {
			const auto *const at1 = from1.row(row), *const at2 = from2.row(row);
			return [=](int column) {
				return Two{pack_load_once<Element>(at1 + column),
					   pack_load_once<Element>(at2 + column)};
			};
		},
		[](const Two &p) {
			return pack_make<Element>([&](int i) { return p.x[i] + p.y[i]; });
		},
		[=](int row, int column, const Pack<Element> &sum) {
			pack_write<Element>(to.row(row) + column, sum);
		},
		[=](int row) {
			const auto *const at = to.row(row);
			return [=](int column) { return pack_load<Element>(at + column); };
		},
		gamma, [=](float squares) { return rsqrtf(squares * inverse + epsilon); },
		[](float value, float factor, float w) { return value * factor * w; });
}

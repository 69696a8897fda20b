/* Root-mean-square normalisation of the rows of a matrix: out = x / sqrt(mean(x^2) + epsilon) w.
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, UNROLL, STREAM, EARLY (cuda/rows.h); MIN_BLOCKS, how
 * many blocks a multiprocessor is to hold. */
#include "../cuda/rows.h"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
	rms_norm(const element *x, const NUMBER(W)::type *weight, element *out, int rows,
		 int columns, long long group, long long gap, long long gap_out,
		 float epsilon)
{
	const Source<Element> from = {x, columns, group, gap};
	const float inverse = reciprocal((float)columns);

	const auto source = [=](int row) {
		const auto *const at = from.row(row);
		return [=](int column) { return pack_load_once<Element>(at + column); };
	};

	rows_norm<Element, NUMBER(W)>(
		Matrix<Element>(out, columns, group, gap_out), rows, columns, source,
		[](const Pack<Element> &p) { return p; }, [](int, int, const Pack<Element> &) {},
		source, weight,
		[=](float squares) { return rsqrtf(squares * inverse + epsilon); },
		[](float value, float factor, float w) { return value * factor * w; });
}

/* Parts of kernels that work on rows of matrices: numbers of the problem's types, VECTOR of them at
 * a time, a thread's packs of a row, and sums over a row's threads. An operator is what it reads
 * and a formula; no operator has a loop of its own.
 *
 * A block of THREADS has THREADS / LANES rows, each by LANES threads. With ITEMS > 0 a thread keeps
 * its ITEMS packs in registers; with 0 they are read each time they are used, UNROLL at once.
 * STREAM: 1, what is read once stays out of the first cache and leaves the second one first, 2, so
 * does what is written, 3, both: accesses of 16 bytes only. */
#ifndef ASCTUNE_CUDA_ROWS_H
#define ASCTUNE_CUDA_ROWS_H

#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
#ifndef STREAM
#define STREAM 0
#endif
#ifndef EARLY
#define EARLY 0
#endif
#ifndef LATE
#define LATE 0
#endif
#ifndef KEEP
#define KEEP 0
#endif
#ifndef GAPS
#define GAPS 0
#endif

constexpr int kRows = THREADS / LANES; /* of a block */
constexpr int kStep = LANES * VECTOR;  /* columns from one pack of a thread to the next */
constexpr int kPart = ITEMS * kStep;   /* columns that the threads of a row keep */

static_assert(THREADS % LANES == 0 && (LANES & (LANES - 1)) == 0, "LANES is a power of two");

/* ---- numbers ---- */

/* A dtype's numbers: `type` is what a tensor of it has, make() rounds to the nearest, ties to even;
 * of 16 bits pair() makes two at once, the first in the lower half, of_pair() gets one of them, and
 * larger_pair() has the larger of each two, of a number and NaN the number. */
template <int DTYPE> struct Number;

template <> struct Number<DTYPE_f32> {
	typedef float type;

	static __device__ float get(float x)
	{
		return x;
	}

	static __device__ float make(float x)
	{
		return x;
	}
};

template <> struct Number<DTYPE_bf16> {
	typedef unsigned short type;

	static __device__ float get(type x)
	{
		return __uint_as_float((unsigned)x << 16);
	}

	static __device__ type make(float x)
	{
		type y;
		asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
		return y;
	}

	static __device__ unsigned pair(float first, float second)
	{
		unsigned both;
		asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
		return both;
	}

	static __device__ unsigned larger_pair(unsigned a, unsigned b)
	{
		unsigned both;
		asm("max.bf16x2 %0, %1, %2;" : "=r"(both) : "r"(a), "r"(b));
		return both;
	}

	static __device__ float of_pair(unsigned both, int second)
	{
		return __uint_as_float(second ? both & 0xffff0000 : both << 16);
	}
};

template <> struct Number<DTYPE_f16> {
	typedef unsigned short type;

	static __device__ float get(type x)
	{
		float y;
		asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
		return y;
	}

	static __device__ type make(float x)
	{
		type y;
		asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
		return y;
	}

	static __device__ unsigned pair(float first, float second)
	{
		unsigned both;
		asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
		return both;
	}

	static __device__ unsigned larger_pair(unsigned a, unsigned b)
	{
		unsigned both;
		asm("max.f16x2 %0, %1, %2;" : "=r"(both) : "r"(a), "r"(b));
		return both;
	}

	static __device__ float of_pair(unsigned both, int second)
	{
		return get((type)(second ? both >> 16 : both));
	}
};

/* Numbers of dtype variable V; `element` is what tensors of variable T have. */
#define NUMBER(V) Number<DTYPE_##V>

typedef NUMBER(T) Element;
typedef Element::type element;

/* x rounded to a dtype. */
template <class Of> __device__ float rounded(float x)
{
	return Of::get(Of::make(x));
}

__device__ float infinity()
{
	return __int_as_float(0x7f800000);
}

__device__ float power2(float x)
{
	float y;
	asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

/* x / y to what a result of dtype Of shows of it. */
template <class Of> __device__ float quotient(float x, float y)
{
	if (sizeof(typename Of::type) == 4)
		return x / y;
	float q;
	asm("div.approx.f32 %0, %1, %2;" : "=f"(q) : "f"(x), "f"(y));
	return q;
}

/* 1 / x to one unit in the last place; infinite for 0. */
__device__ float reciprocal(float x)
{
	float y;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

/* x / (1 + 2^(-log2(e) z)); where the power is infinite, 0 with the sign of x. */
template <class Of> __device__ float sigmoid_times(float x, float z)
{
	float power;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(-1.44269504F * z));
	return quotient<Of>(x, 1 + power);
}

/* ---- packs ---- */

/* Bytes that a thread reads or writes at once, at most 16. */
template <int BYTES> struct Word {
	typedef uint4 type;
};

template <> struct Word<8> {
	typedef uint2 type;
};

template <> struct Word<4> {
	typedef unsigned type;
};

template <> struct Word<2> {
	typedef unsigned short type;
};

/* True where the numbers of a pack are made by pairs. */
template <class Of> constexpr bool in_pairs = sizeof(typename Of::type) == 2 && VECTOR % 2 == 0;

template <class Of> union Pack {
	typedef typename Word<VECTOR * sizeof(typename Of::type)>::type word;

	typename Of::type at[VECTOR];
	word words[VECTOR * sizeof(typename Of::type) / sizeof(word)];

	__device__ float operator[](int i) const
	{
		if constexpr (in_pairs<Of>)
			return Of::of_pair(((const unsigned *)words)[i / 2], i % 2);
		else
			return Of::get(at[i]);
	}
};

/* Accesses by statements are volatile and in the order of the program: a row may be read again
 * after it was written. The compiler makes four stores of a plain one whose parts were calculated.
 */
__device__ uint4 word_load_once(const uint4 *from)
{
#if STREAM & 1
	/* What createpolicy.fractional.L2::evict_first makes, with 1 for the part. */
	const unsigned long long first_out = 0x12f0000000000000;
	uint4 x;
	asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
		     : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
		     : "l"(from), "l"(first_out)
		     : "memory");
	return x;
#else
	return *from;
#endif
}

template <class W> __device__ W word_load_once(const W *from)
{
	return *from;
}

__device__ void word_store(uint4 *to, uint4 x)
{
#if STREAM & 2
#define STORE "st.global.cs"
#else
#define STORE "st.global"
#endif
	asm volatile(STORE ".v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(x.x), "r"(x.y),
		     "r"(x.z), "r"(x.w)
		     : "memory");
}

__device__ void word_store(uint2 *to, uint2 x)
{
	asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(x.x), "r"(x.y) : "memory");
}

template <class W> __device__ void word_store(W *to, W x)
{
	*to = x;
}

template <class Of> __device__ Pack<Of> pack_load(const typename Of::type *from)
{
	typedef typename Pack<Of>::word word;
	Pack<Of> p;
#pragma unroll
	for (int i = 0; i < (int)(sizeof p / sizeof(word)); i++)
		p.words[i] = ((const word *)from)[i];
	return p;
}

/* Loads a pack that no other block reads, nor this one again. */
template <class Of> __device__ Pack<Of> pack_load_once(const typename Of::type *from)
{
	typedef typename Pack<Of>::word word;
	Pack<Of> p;
#pragma unroll
	for (int i = 0; i < (int)(sizeof p / sizeof(word)); i++)
		p.words[i] = word_load_once((const word *)from + i);
	return p;
}

template <class Of> __device__ void pack_write(typename Of::type *to, const Pack<Of> &p)
{
	typedef typename Pack<Of>::word word;
#pragma unroll
	for (int i = 0; i < (int)(sizeof p / sizeof(word)); i++)
		word_store((word *)to + i, p.words[i]);
}

/* The pack of value(i) for each i < VECTOR. */
template <class Of, class Value> __device__ Pack<Of> pack_make(Value value)
{
	Pack<Of> p;
	if constexpr (in_pairs<Of>) {
#pragma unroll
		for (int i = 0; i < VECTOR; i += 2)
			((unsigned *)p.words)[i / 2] = Of::pair(value(i), value(i + 1));
	} else {
#pragma unroll
		for (int i = 0; i < VECTOR; i++)
			p.at[i] = Of::make(value(i));
	}
	return p;
}

template <class Of, class Value> __device__ void pack_store(typename Of::type *to, Value value)
{
	pack_write<Of>(to, pack_make<Of>(value));
}

/* The largest of a pack; of a number and NaN the number. */
template <class Of> __device__ float pack_largest(const Pack<Of> &p)
{
	float largest;
	if constexpr (in_pairs<Of>) {
		const unsigned *const pairs = (const unsigned *)p.words;
		unsigned most = pairs[0];
#pragma unroll
		for (int i = 1; i < VECTOR / 2; i++)
			most = Of::larger_pair(most, pairs[i]);
		largest = fmaxf(Of::of_pair(most, 0), Of::of_pair(most, 1));
	} else {
		largest = p[0];
#pragma unroll
		for (int i = 1; i < VECTOR; i++)
			largest = fmaxf(largest, p[i]);
	}
	return largest;
}

/* ---- rows ---- */

/* This thread's packs of the columns from `begin` to below `end` of a row: read(column) gives one,
 * or several that belong together. */
template <class Read> struct Row {
	typedef decltype(((Read *)nullptr)->operator()(0)) Packs;

	const Read read;
	const int first, end;
	Packs kept[ITEMS > 0 ? ITEMS : 1];

	__device__ Row(int begin, int end, Read read)
	    : read(read), first(begin + threadIdx.x % LANES * VECTOR), end(end)
	{
#pragma unroll
		for (int i = 0; i < ITEMS; i++)
			if (first + i * kStep < end)
				kept[i] = read(first + i * kStep);
	}

	/* Calls use(packs, column, number of the packs) for all of them. */
	template <class Use> __device__ void each(Use use) const
	{
		if constexpr (ITEMS > 0) {
#pragma unroll
			for (int i = 0; i < ITEMS; i++)
				if (first + i * kStep < end)
					use(kept[i], first + i * kStep, i);
			return;
		}
#pragma unroll 1
		for (int at = first; at < end; at += UNROLL * kStep) {
			Packs some[UNROLL];
#pragma unroll
			for (int i = 0; i < UNROLL; i++)
				if (i == 0 || at + i * kStep < end)
					some[i] = read(at + i * kStep);
#pragma unroll
			for (int i = 0; i < UNROLL; i++)
				if (i == 0 || at + i * kStep < end)
					use(some[i], at + i * kStep, 0);
		}
	}
};

/* Calls work(row, columns) for all rows, with no columns for threads without a row: all threads of
 * a block meet at its barriers. The grid has one dimension, and may have fewer blocks than the rows
 * need. There are fewer than 2^31 rows and columns. */
template <class Work> __device__ void rows_walk(int rows, int columns, Work work)
{
#pragma unroll 1
	for (int first = blockIdx.x * kRows; first < rows; first += gridDim.x * kRows) {
		const int row = first + threadIdx.x / LANES;
		work(row, row < rows ? columns : 0);
	}
}

/* Calls work(row, begin, end) for all parts of kPart columns of all rows, of which the last of a
 * row may have fewer. The grid's first dimension counts parts, the second one rows; both may have
 * fewer blocks than are needed. */
template <class Work> __device__ void parts_walk(int rows, int columns, Work work)
{
#pragma unroll 1
	for (int row = blockIdx.y * kRows + threadIdx.x / LANES; row < rows;
	     row += gridDim.y * kRows)
#pragma unroll 1
		for (int begin = blockIdx.x * kPart; begin < columns; begin += gridDim.x * kPart)
			work(row, begin, columns);
}

struct Sum {
	__device__ float operator()(float a, float b) const
	{
		return a + b;
	}
};

struct Largest {
	__device__ float operator()(float a, float b) const
	{
		return fmaxf(a, b);
	}
};

/* N values combined, by halves: sums of sums wait less for each other. */
template <int N, class Combine> __device__ float tree_combine(const float *parts, Combine combine)
{
	if constexpr (N == 1)
		return parts[0];
	else
		return combine(tree_combine<N / 2>(parts, combine),
			       tree_combine<N / 2>(parts + N / 2, combine));
}

/* The values of a row's threads combined, for all of them. All threads of the block call it, and
 * calls in turn with another `turn`, 0 or 1: before a place is written again, all have come by the
 * barrier of the call between. */
template <class Combine> __device__ float row_combine(float x, Combine combine, int turn)
{
	constexpr int width = LANES < 32 ? LANES : 32;

#pragma unroll
	for (int i = width / 2; i > 0; i /= 2)
		x = combine(x, __shfl_xor_sync(~0U, x, i));
	if constexpr (LANES > 32) {
		alignas(16) __shared__ float parts[2][THREADS / 32];
		if (threadIdx.x % 32 == 0)
			parts[turn][threadIdx.x / 32] = x;
		__syncthreads();
		x = tree_combine<LANES / 32>(parts[turn] + threadIdx.x / LANES * (LANES / 32),
					     combine);
	}
	return x;
}

/* ---- operators ---- */

/* A matrix that is read: its rows are `stride` elements apart, and `gap` more behind each `group`
 * of rows. */
template <class Of> struct Source {
	const typename Of::type *at;
	long long stride, group = 1, gap = 0;

	__device__ const typename Of::type *row(int i) const
	{
		return at + i * stride + (GAPS ? (unsigned)i / (unsigned)group * gap : 0);
	}
};

/* A matrix that is written. */
template <class Of> struct Matrix : Source<Of> {
	__device__ Matrix(typename Of::type *to, long long stride, long long group = 1,
			  long long gap = 0)
	    : Source<Of>{to, stride, group, gap}
	{
	}

	__device__ typename Of::type *row(int i) const
	{
		return const_cast<typename Of::type *>(Source<Of>::row(i));
	}
};

/* out = formula(x), element by element. */
template <class Out, class X, class Formula>
__device__ void rows_map(Matrix<Out> out, int rows, int columns, Source<X> x, Formula formula)
{
	parts_walk(rows, columns, [&](int row, int begin, int end) {
		const auto *const from = x.row(row);
		auto *const to = out.row(row);
		const Row own(begin, end, [&](int at) { return pack_load_once<X>(from + at); });
		own.each([&](const Pack<X> &p, int at, int) {
			pack_store<Out>(to + at, [&](int i) { return formula(p[i]); });
		});
	});
}

template <class X, class Y> struct Pair {
	Pack<X> x;
	Pack<Y> y;
};

/* out = formula(x, y), element by element. */
template <class Out, class X, class Y, class Formula>
__device__ void rows_map(Matrix<Out> out, int rows, int columns, Source<X> x, Source<Y> y,
			 Formula formula)
{
	parts_walk(rows, columns, [&](int row, int begin, int end) {
		const auto *const from_x = x.row(row);
		const auto *const from_y = y.row(row);
		auto *const to = out.row(row);
		const Row own(begin, end, [&](int at) {
			return Pair<X, Y>{pack_load_once<X>(from_x + at),
					  pack_load_once<Y>(from_y + at)};
		});
		own.each([&](const Pair<X, Y> &p, int at, int) {
			pack_store<Out>(to + at, [&](int i) { return formula(p.x[i], p.y[i]); });
		});
	});
}

/* Rows scaled: out = formula(x, factor of the row, weight of the column), where factor is norm(sum
 * of all x^2). source(row) is what a Row reads by, take(packs) gives the pack of x that its packs
 * make, and put(row, column, x) may write it: each once. What is not kept is read a second time, by
 * again(row). EARLY: weights are read before the first row and stay in registers. LATE: put() waits
 * until the row has been read. */
template <class X, class Weight, class Out, class Source, class Take, class Put, class Again,
	  class Norm, class Formula>
__device__ void rows_norm(Matrix<Out> out, int rows, int columns, Source source, Take take, Put put,
			  Again again, const typename Weight::type *weight, Norm norm,
			  Formula formula)
{
	static_assert(ITEMS > 0 || !(EARLY || LATE), "weights and rows are kept");
	const auto weights = [&](int at) { return pack_load<Weight>(weight + at); };
	const Row early(0, EARLY ? columns : 0, weights);
	int turn = 0;

	rows_walk(rows, columns, [&](int row, int end) {
		const Row packs(0, end, source(row));
		typedef typename decltype(packs)::Packs Packs;
		Pack<X> taken[ITEMS > 0 ? ITEMS : 1];
		float squares = 0;

		packs.each([&](const Packs &p, int at, int number) {
			const Pack<X> x = taken[number] = take(p);
			if (!LATE)
				put(row, at, x);
#pragma unroll
			for (int i = 0; i < VECTOR; i++)
				squares += x[i] * x[i];
		});
		const float factor = norm(row_combine(squares, Sum(), turn ^= 1));
		auto *const to = out.row(row);
		const auto scale = [&](const Pack<X> &x, int at, int number) {
			const Pack<Weight> w = EARLY ? early.kept[number] : weights(at);
			if (LATE)
				put(row, at, x);
			pack_store<Out>(to + at,
					[&](int i) { return formula(x[i], factor, w[i]); });
		};
		if constexpr (ITEMS > 0) {
			packs.each([&](const Packs &, int at, int number) {
				scale(taken[number], at, number);
			});
		} else {
			const Row taken_before(0, end, again(row));
			taken_before.each(scale);
		}
	});
}

constexpr float kLog2e = 1.4426950408889634f;

/* exp(x - largest); 0 for an x of -inf, even where nothing larger was met. */
__device__ float softmax_weight(float x, float largest)
{
	return power2((x - fmaxf(largest, -3.402823466e38F)) * kLog2e);
}

/* The largest of some elements of a row, and the sum of all exp(x - largest). */
struct Weighed {
	float largest, sum;

	/* Takes more elements in, of which the largest is given. */
	__device__ void raise(float to)
	{
		sum *= softmax_weight(largest, to);
		largest = to;
	}
};

/* Combines what the threads of a row have weighed, for all of them; called as the other one is. */
__device__ Weighed row_combine(Weighed own, int turn)
{
	constexpr int width = LANES < 32 ? LANES : 32;
	float largest = own.largest;

#pragma unroll
	for (int i = width / 2; i > 0; i /= 2)
		largest = fmaxf(largest, __shfl_xor_sync(~0U, largest, i));
	own.raise(largest);
#pragma unroll
	for (int i = width / 2; i > 0; i /= 2)
		own.sum += __shfl_xor_sync(~0U, own.sum, i);
	if constexpr (LANES > 32) {
		constexpr int warps = LANES / 32;
		alignas(16) __shared__ float parts[2][2][THREADS / 32]; /* largest, sum */
		if (threadIdx.x % 32 == 0) {
			parts[turn][0][threadIdx.x / 32] = own.largest;
			parts[turn][1][threadIdx.x / 32] = own.sum;
		}
		__syncthreads();
		const int first = threadIdx.x / LANES * warps, part = first + threadIdx.x % warps;
		own = {parts[turn][0][part], parts[turn][1][part]};
		own.raise(tree_combine<warps>(parts[turn][0] + first, Largest()));
#pragma unroll
		for (int i = warps / 2; i > 0; i /= 2)
			own.sum += __shfl_xor_sync(~0U, own.sum, i);
	}
	return own;
}

/* out = exp(x - max(x)) / sum(exp(x - max(x))) of the first visible(row) columns of each row; the
 * others are not read, and weigh nothing: they are written while the row is on its way. Each thread
 * weighs by the largest element that it has met (Milakov & Gimelshein, arXiv:1805.02867), and
 * KEEPs these weights or makes them again; what is not kept is read again. */
template <class Of, class Visible>
__device__ void rows_softmax(Matrix<Of> out, int rows, int columns, Source<Of> x, Visible visible)
{
	int turn = 0;

	rows_walk(rows, columns, [&](int number, int end) {
		const int seen = end > 0 ? visible(number) : 0;
		const auto *const from = x.row(number);
		auto *const to = out.row(number);
		const Row row(0, seen, [&](int at) {
			Pack<Of> p = pack_load_once<Of>(from + at);
			if (at + VECTOR > seen) {
#pragma unroll
				for (int i = 1; i < VECTOR; i++)
					p.at[i] = at + i < seen ? p.at[i] : Of::make(-infinity());
			}
			return p;
		});
		const auto put_unseen = [&](float weight) {
			const Pack<Of> p = pack_make<Of>([&](int) { return weight; });
#pragma unroll 1
			for (int at = (seen + VECTOR - 1) / VECTOR * VECTOR +
				      threadIdx.x % LANES * VECTOR;
			     at < end; at += kStep)
				pack_write<Of>(to + at, p);
		};
		float weights[KEEP ? ITEMS : 1][VECTOR];
		Weighed own = {-infinity(), 0};
		const auto weigh = [&](const Pack<Of> &p, int, int number) {
#pragma unroll
			for (int i = 0; i < VECTOR; i++)
				own.sum += weights[KEEP ? number : 0][i] =
					softmax_weight(p[i], own.largest);
		};

		put_unseen(0);
		if constexpr (ITEMS > 0) {
			row.each([&](const Pack<Of> &p, int, int) {
				own.largest = fmaxf(own.largest, pack_largest<Of>(p));
			});
			row.each(weigh);
		} else {
			row.each([&](const Pack<Of> &p, int at, int number) {
				own.raise(fmaxf(own.largest, pack_largest<Of>(p)));
				weigh(p, at, number);
			});
		}
		const Weighed all = row_combine(own, turn ^= 1);
		const float factor = reciprocal(all.sum);
		/* What is read again may be weighed by the row's largest element at once. */
		const float largest = ITEMS > 0 ? own.largest : all.largest;
		const float scale = factor * softmax_weight(largest, all.largest);
		row.each([&](const Pack<Of> &p, int at, int number) {
			pack_store<Of>(to + at, [&](int i) {
				return scale *
				       (KEEP ? weights[number][i] : softmax_weight(p[i], largest));
			});
		});
		const float nothing = 0 * factor; /* NaN where the row's sum is none */
		if (nothing != 0)
			put_unseen(nothing);
	});
}

#endif

/* What cuda_peaks.c measures with. CUDA C++ without headers. Chains, sums and reads that do not wait
 * for each other hide the latency of the units; what comes of them is stored only where it is a value
 * that it never has, so that nothing is left out. Products are those of PTX's mma.sync (compute
 * capability 8 on) and wgmma (9.0 alone). */

/* Numbers that differ from bit to bit, as those of a kernel at work do: equal ones take less
 * power. */
__device__ unsigned mix(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
__device__ unsigned number(int i) {
  return mix(8 * (blockIdx.x * blockDim.x + threadIdx.x) + i);
}

/* Between 1 and 2, turn by turn on either side of 1.5. */
#define CHAINS 8
#define FMA_CHAINS(NAME, REAL, FMA) \
extern "C" __global__ void NAME(REAL *out, int rounds) { \
  REAL x[CHAINS], sum = 0; \
  _Pragma("unroll") for (int i = 0; i < CHAINS; i++) x[i] = 1 + (REAL)number(i) / 4294967296; \
  _Pragma("unroll 4") for (int r = 0; r < rounds; r++) \
    _Pragma("unroll") for (int i = 0; i < CHAINS; i++) \
      x[i] = FMA(x[i], (REAL)-0.9999, (REAL)3); \
  _Pragma("unroll") for (int i = 0; i < CHAINS; i++) sum += x[i]; \
  if (sum < 0) *out = sum; \
}
FMA_CHAINS(chains_f32, float, __fmaf_rn)
FMA_CHAINS(chains_f64, double, __fma_rn)

#define SUMS 4
#define PRODUCTS(NAME, SUM, R, INSTRUCTION, MASK, BITS) \
extern "C" __global__ void NAME(SUM *out, int rounds) { \
  SUM c[SUMS][4] = {}, sum = 0; \
  unsigned h[6]; \
  _Pragma("unroll") for (int i = 0; i < 6; i++) h[i] = (number(i) & MASK) | BITS; \
  for (int r = 0; r < rounds; r++) \
    _Pragma("unroll") for (int i = 0; i < SUMS; i++) \
      asm volatile("mma.sync.aligned." INSTRUCTION \
                   " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                   : "+" R(c[i][0]), "+" R(c[i][1]), "+" R(c[i][2]), "+" R(c[i][3]) \
                   : "r"(h[0]), "r"(h[1]), "r"(h[2]), "r"(h[3]), "r"(h[4]), "r"(h[5])); \
  for (int i = 0; i < SUMS; i++) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3]; \
  if (sum != sum || rounds < 0) *out = sum; \
}
#if __CUDA_ARCH__ >= 800
/* Values of both signs, 0.5 to 2; all integers. */
PRODUCTS(products_f16, float, "f", "m16n8k16.row.col.f32.f16.f16.f32", 0x87ff87ffu, 0x38003800u)
PRODUCTS(products_bf16, float, "f", "m16n8k16.row.col.f32.bf16.bf16.f32", 0x80ff80ffu, 0x3f003f00u)
PRODUCTS(products_i8, unsigned, "r", "m16n8k32.row.col.s32.s8.s8.s32", 0xffffffffu, 0)
PRODUCTS(products_tf32, float, "f", "m16n8k8.row.col.f32.tf32.tf32.f32", 0x80ffffffu, 0x3f000000u)

#if __CUDA_ARCH__ >= 890
PRODUCTS(products_f8e4m3, float, "f", "m16n8k32.row.col.f32.e4m3.e4m3.f32", 0x87878787u, 0x38383838u)
PRODUCTS(products_f8e5m2, float, "f", "m16n8k32.row.col.f32.e5m2.e5m2.f32", 0x83838383u, 0x38383838u)
#endif

extern "C" __global__ void products_f64(double *out, int rounds) {
  double c[SUMS][4] = {}, sum = 0, a[8], b[4];
  for (int i = 0; i < 8; i++) a[i] = (double)number(i) / 4294967296;
  for (int i = 0; i < 4; i++) b[i] = (double)number(i + 4) / 4294967296 - 0.5;
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int i = 0; i < SUMS; i++)
#if __CUDA_ARCH__ >= 900
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
                   "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, "
                   "{%0, %1, %2, %3};"
                   : "+d"(c[i][0]), "+d"(c[i][1]), "+d"(c[i][2]), "+d"(c[i][3])
                   : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]),
                     "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, "
                   "{%0, %1};"
                   : "+d"(c[i][0]), "+d"(c[i][1]) : "d"(a[0]), "d"(b[0]));
#endif
  for (int i = 0; i < SUMS; i++) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];
  if (sum != sum) *out = sum;
}
#endif

/* Products of 64 rows of A and 128 columns of B by four warps. Both lie in shared memory in
 * rows of 128 bytes, eight to a group, their 16-byte pieces mixed so that no two of a column
 * share a bank (PTX, "Matrix descriptor": 128-byte swizzle is 1 in bits 62 and 63, the step
 * from group to group is bits 32 to 45, in units of 16 bytes); each product takes the next 32
 * bytes of each row. */
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
__device__ unsigned long long matrix(const void *at) {
  return (__cvta_generic_to_shared(at) & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}
#define WIDE_PRODUCTS(NAME, SUM, R, INSTRUCTION, MASK, BITS, REST) \
extern "C" __global__ void NAME(SUM *out, int rounds) { \
  __shared__ __align__(1024) unsigned a[2][64 * 32], b[128 * 32]; \
  SUM c[64] = {}, sum = 0; \
  for (int i = threadIdx.x; i < 2 * 64 * 32; i += blockDim.x) \
    a[0][i] = (number(i) & MASK) | BITS; \
  for (int i = threadIdx.x; i < 128 * 32; i += blockDim.x) \
    b[i] = (number(i) & MASK) | BITS; \
  asm volatile("fence.proxy.async;" ::: "memory"); \
  __syncthreads(); \
  unsigned long long x = matrix(a[threadIdx.x / 128]), y = matrix(b); \
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); \
  for (int r = 0; r < rounds; r++) { \
    _Pragma("unroll") for (int i = 0; i < SUMS; i++) \
      asm volatile("wgmma.mma_async.sync.aligned." INSTRUCTION \
                   " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17," \
                   "%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33," \
                   "%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49," \
                   "%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, " REST \
                   : OF_8(R, 0), OF_8(R, 8), OF_8(R, 16), OF_8(R, 24), \
                     OF_8(R, 32), OF_8(R, 40), OF_8(R, 48), OF_8(R, 56) \
                   : "l"(x + 2 * i), "l"(y + 2 * i)); \
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); \
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory"); \
  } \
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); \
  _Pragma("unroll") for (int i = 0; i < 64; i++) sum += c[i]; \
  if (sum != sum || rounds < 0) *out = sum; \
}
#define OF_8(R, I) R(c[I]), R(c[I + 1]), R(c[I + 2]), R(c[I + 3]), R(c[I + 4]), R(c[I + 5]), \
  R(c[I + 6]), R(c[I + 7])
WIDE_PRODUCTS(wide_f16, float, "+f", "m64n128k16.f32.f16.f16", 0x87ff87ffu, 0x38003800u,
              "1, 1, 1, 0, 0;")
WIDE_PRODUCTS(wide_bf16, float, "+f", "m64n128k16.f32.bf16.bf16", 0x80ff80ffu, 0x3f003f00u,
              "1, 1, 1, 0, 0;")
WIDE_PRODUCTS(wide_tf32, float, "+f", "m64n128k8.f32.tf32.tf32", 0x80ffffffu, 0x3f000000u,
              "1, 1, 1;")
WIDE_PRODUCTS(wide_f8e4m3, float, "+f", "m64n128k32.f32.e4m3.e4m3", 0x87878787u, 0x38383838u,
              "1, 1, 1;")
WIDE_PRODUCTS(wide_f8e5m2, float, "+f", "m64n128k32.f32.e5m2.e5m2", 0x83838383u, 0x38383838u,
              "1, 1, 1;")
WIDE_PRODUCTS(wide_i8, int, "+r", "m64n128k32.s32.s8.s8", 0xffffffffu, 0, "1;")
#endif

/* Reads of 16 bytes a thread, a row of a block or of a warp every STEP bytes. Where a round begins
 * depends on an argument, so that the compiler makes none of them out of an earlier one. */
#define READS 4
#define READ(LOAD, C, AT, STEP) do { \
  float x[READS][4]; \
  _Pragma("unroll") for (int i = 0; i < READS; i++) \
    asm volatile(LOAD " {%0, %1, %2, %3}, [%4];" \
                 : "=f"(x[i][0]), "=f"(x[i][1]), "=f"(x[i][2]), "=f"(x[i][3]) \
                 : C((AT) + i * (STEP))); \
  _Pragma("unroll") for (int i = 0; i < READS; i++) \
    sum += x[i][0] + x[i][1] + x[i][2] + x[i][3]; \
} while (0)

/* Past L1: a block reads pieces of PEAKS_PIECE bytes, other ones than its neighbours. `last` is one
 * less than a power of two of pieces. */
extern "C" __global__ void read_l2(float *out, int rounds, const char *data, unsigned last) {
  float sum = 0;
  for (int r = 0; r < rounds; r++) {
    const char *piece = data + (blockIdx.x * 37 + r & last) * (256 * 16 * READS);
    READ("ld.global.cg.v4.f32", "l", piece + threadIdx.x * 16, 4096);
  }
  if (sum == 1e30f) *out = sum;
}

/* All warps read the same 2 KiB, since `last` is less than 2048, which the compiler does not know. */
extern "C" __global__ void read_l1(float *out, int rounds, const char *data, unsigned last) {
  float sum = 0;
  unsigned at = 0;
  for (int r = 0; r < rounds; r++, at = at + last & 2048)
    READ("ld.global.ca.v4.f32", "l", data + threadIdx.x % 32 * 16 + at, 512);
  if (sum == 1e30f) *out = sum;
}
extern "C" __global__ void read_shared(float *out, int rounds, const float *data, unsigned last) {
  __shared__ __align__(16) float rows[2 * 512];
  float sum = 0;
  for (int i = threadIdx.x; i < 2 * 512; i += blockDim.x) rows[i] = data[i];
  __syncthreads();
  unsigned begin = (unsigned)__cvta_generic_to_shared(rows) + threadIdx.x % 32 * 16, at = 0;
  for (int r = 0; r < rounds; r++, at = at + last & 2048)
    READ("ld.shared.v4.f32", "r", begin + at, 512);
  if (sum == 1e30f) *out = sum;
}

extern "C" __global__ void nothing() {}

/* Normal numbers, two of a hash each by Box and Muller's formula. */
extern "C" __global__ void normals(unsigned short *out, long long n, int bf16) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = mix((unsigned)i), k = mix(h + 0x9e3779b9u);
  float x = sqrtf(-2 * logf((h + 1.0f) / 4294967296.0f)) * cosf(k * 1.4629180792671596e-9f);
  unsigned bits = __float_as_uint(x);
  unsigned short half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));
  out[i] = bf16 ? (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16) : half;
}

extern "C" __global__ void triad(float4 *a, const float4 *b, const float4 *c, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 x = b[i], y = c[i];
  a[i] = make_float4(x.x + 3 * y.x, x.y + 3 * y.y, x.z + 3 * y.z, x.w + 3 * y.w);
}

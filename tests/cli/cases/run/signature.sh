# A kernel whose parameters are not the workload's arguments: which argument it is, and what the kernel takes.
# covers: cc_wrapper.c
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
try() { # SED...: what of the kernel is different
	sed "$1" "$WORKLOADS/axpy/kernel.c" >axpy/kernel.c
	asctune run axpy.json -D cpu --config '' 2>/dev/null | sed -n 's/^  result   //p'
}
try 's/int64_t n,/int n,/'
try 's/const float \*x/const double *x/'
try 's/float alpha,/float alpha, int more,/'
try 's/const float \*y, float \*out/float *out/; s/y\[i\]/0/'
try 's/void axpy/void axpi/'

# Slots with padding: a share of them is -1 and names nothing, in int32 and int64; a cache is written where slots name it, and what no slot names has to come back bit for bit.
# covers: inputs.c binding_check.c worker_sets.c
mkdir -p w; cd w
cat >w.json <<'END'
{
  "asctune": 1,
  "name": "store",
  "problems": [
    {"name": "half", "dims": {"N": 9, "D": 4, "SLOTS": 24, "padding": 0.5}, "dtypes": {"S": "i64"}},
    {"name": "half32", "dims": {"N": 9, "D": 4, "SLOTS": 24, "padding": 0.5}, "dtypes": {"S": "i32"}},
    {"name": "none", "dims": {"N": 9, "D": 4, "SLOTS": 24, "padding": 0}, "dtypes": {"S": "i64"}},
    {"name": "whole", "dims": {"N": 9, "D": 4, "SLOTS": 2, "padding": 1}, "dtypes": {"S": "i32"}}
  ],
  "tensors": {
    "key": {"shape": ["N", "D"], "dtype": "f16", "role": "in"},
    "slots": {"shape": ["N"], "dtype": "S", "role": "in", "fill": {"kind": "slots", "slots": "SLOTS", "padding": "padding"}},
    "cache": {"shape": ["SLOTS", "D"], "dtype": "f16", "role": "inout", "fill": {"kind": "constant", "value": 0}, "verify": {"kind": "exact"}}
  },
  "reference": {
    "source": "store.c",
    "entry": "reference",
    "arguments": [{"tensor": "key"}, {"tensor": "slots"}, {"tensor": "cache"}, {"scalar": "N", "type": "i64"}, {"scalar": "D", "type": "i64"}, {"scalar": "SLOTS", "type": "i64"}]
  },
  "implementations": [
    {
      "name": "loop",
      "devices": ["cpu"],
      "source": "store.c",
      "entry": "store",
      "parameters": {"WRONG": ["no", "last", "beside", "zero"]},
      "constants": {"LAST": "WRONG == 'last'", "BESIDE": "WRONG == 'beside'", "ZERO": "WRONG == 'zero'"},
      "arguments": [{"tensor": "key"}, {"tensor": "slots"}, {"tensor": "cache"}, {"scalar": "N", "type": "i64"}, {"scalar": "D", "type": "i64"}, {"scalar": "SLOTS", "type": "i64"}]
    }
  ]
}
END
cat >store.c <<'END'
#include <stdint.h>
#ifdef CTYPE_S
/* LAST takes -1 for the last slot; BESIDE writes the row behind a slot's; ZERO makes -0 of a 0 in a row that no slot names. */
void store(const uint16_t *key, const CTYPE_S *slots, uint16_t *cache, int64_t n, int64_t d, int64_t all)
{
	_Bool named[64] = {0};

	for (int64_t i = 0; i < n; i++) {
		const int64_t slot = slots[i] < 0 && LAST ? all - 1 : slots[i];

		if (slot < 0)
			continue;
		named[slot] = 1;
		for (int64_t k = 0; k < d; k++)
			cache[slot * d + k] = key[i * d + k];
		if (BESIDE)
			cache[(slot + 1) % all * d] = key[i * d];
	}
	for (int64_t slot = 0; slot < all && ZERO; slot++)
		if (!named[slot])
			cache[slot * d] = 0x8000;
}
#else
void reference(const double *key, const double *slots, double *cache, int64_t n, int64_t d, int64_t all)
{
	(void)all;
	for (int64_t i = 0; i < n; i++)
		for (int64_t k = 0; k < d && slots[i] >= 0; k++)
			cache[(int64_t)slots[i] * d + k] = key[i * d + k];
}
#endif
END
run check-workload w.json
for p in half half32 none whole; do
	asctune run w.json -D cpu -p $p --budget all --strategy exhaustive --repeats 3 --no-history --json --db a.db 2>err >lines
	sed -n "s/.*\"type\":\"trial\".*\"config\":{\"WRONG\":\"\([a-z]*\)\"}.*\"status\":\"\([a-z_]*\)\".*/$p \1 \2/p" lines | sort
	sed -n "s/.*\"type\":\"trial\".*\"config\":{\"WRONG\":\"\([a-z]*\)\"}.*\"reason\":\"\([^\"]*\)\".*/$p \1: \2/p" lines | sort
done
change() { sed "$@" w.json >x.json; run check-workload x.json; }
change 's/"padding": 0.5}, "dtypes": {"S": "i64"}/"padding": 1.5}, "dtypes": {"S": "i64"}/'
change 's/"S": "i32"/"S": "u32"/'
change 's/"SLOTS": 24, "padding": 0.5}, "dtypes": {"S": "i64"}/"SLOTS": 3, "padding": 0.5}, "dtypes": {"S": "i64"}/'
change 's/{"kind": "slots", "slots"/{"kind": "block_table", "blocks"/'
echo '- the finals: inputs change between rounds, and with them what the cache holds before each launch'
sed 's/"fill": {"kind": "constant", "value": 0}, "verify"/"verify"/' w.json >y.json
for w in w y; do
	asctune run $w.json -D cpu -p half --budget all --strategy exhaustive --db $w.db >lines 2>err
	asctune best --db $w.db | grep -o 'WRONG=[a-z]*' | head -n 1
	asctune show run 1 --db $w.db | grep -o 'on [0-9]* sets of inputs'
done

/* Rows of one small number for each total that a side can have, on vectors. */
#ifndef LANES_H
#define LANES_H

#include <stdint.h>
#include <string.h>

/* One binary for every x86: the loader picks a clone. Vectors wider than the machine's are right but three times
 * slower, as gcc keeps them in memory: so eight lanes only where most machines have AVX2 and gcc can dispatch. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(COUP_CHECKED)
#define CLONES __attribute__((target_clones("avx2", "default")))
#define STEP 8
#else
#define CLONES
#define STEP 4
#endif

/* What a clone calls has to be compiled within it. Nothing is passed then, so its ABI is no matter. */
#define INLINE static inline __attribute__((always_inline))
#pragma GCC diagnostic ignored "-Wpsabi"

enum { TOTALS = 10, PARTS = (TOTALS + STEP - 1) / STEP, LANES = PARTS * STEP };

typedef int32_t lanes __attribute__((vector_size(4 * STEP)));
typedef int32_t half_lanes __attribute__((vector_size(2 * STEP)));
typedef int64_t wide_lanes __attribute__((vector_size(4 * STEP)));

/* Whole vectors; nobody looks at the lanes past the tenth. */
typedef int32_t row[LANES];
typedef int64_t wide_row[LANES];

INLINE lanes load(const int32_t *from, int part) {
    lanes v;
    memcpy(&v, from + part * STEP, sizeof v);
    return v;
}

INLINE void store(int32_t *to, int part, lanes v) { memcpy(to + part * STEP, &v, sizeof v); }

/* The row that is 1 at one total and 0 elsewhere. The total is meant modulo ten and may be -10 to 19. */
INLINE lanes one(int total, int part) {
    static const int32_t every_tenth[3 * TOTALS + LANES] = {[0] = 1, [10] = 1, [20] = 1, [30] = 1, [40] = 1};
    return load(every_tenth + 2 * TOTALS - total, part);
}

INLINE void add_product(int64_t *sums, int part, lanes v, int64_t weight) {
    for (int i = 0; i < 2; i++) {
        half_lanes half;
        wide_lanes sum;
        int64_t *to = sums + part * STEP + i * STEP / 2;
        memcpy(&half, (const char *)&v + i * sizeof half, sizeof half);
        memcpy(&sum, to, sizeof sum);
        sum += __builtin_convertvector(half, wide_lanes) * weight;
        memcpy(to, &sum, sizeof sum);
    }
}
#endif

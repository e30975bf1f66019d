/* Pairs: in how many ways the first two cards of each side agree in rank, or in rank and suit.
 *
 * Either side's first two cards are ANY, a PAIR or a PERFECT pair, each including the next. In how many ways both sides
 * meet such a condition has a closed form over ranks and over card types; differences of the nine give the cells. */
#ifndef PAIRS_H
#define PAIRS_H

#include <stdint.h>
#include <string.h>

enum { SUITS = 4, RANKS = 13, CARDS = SUITS * RANKS, PAIR_CELLS = 16 };
enum { ANY, PAIR, PERFECT, CONDITIONS };

/* Of a side's first two cards `open` are to come; the others are on the table. */
typedef struct {
    int open;
    uint8_t cards[2];
} opening;

/* Cards left of each kind: a rank, or one card type; `size` card types make a kind. */
typedef struct {
    int size, left[CARDS];
} kinds;

static int64_t falling(int64_t n, int factors) {
    int64_t product = 1;
    for (int i = 0; i < factors; i++) product *= n - i;
    return product;
}

/* Ways to have two cards of one kind with `left` of it in the shoe. */
static int64_t alike(const opening *side, int size, int kind, int left) {
    for (int i = side->open; i < 2; i++)
        if (side->cards[i - side->open] / size != kind) return 0;
    return falling(left, side->open);
}

/* Ways for x's side, the other side taking any cards. */
static int64_t one_alike(const opening *x, const kinds *of_x, int total, int others) {
    int64_t sum = 0;
    for (int kind = 0; kind < CARDS / of_x->size; kind++) sum += alike(x, of_x->size, kind, of_x->left[kind]);
    return sum * falling(total - x->open, others);
}

/* Ways for both sides; x's kinds must not be wider than y's. Only where y makes its pair of the same kind does
 * it matter that x's cards are gone. */
static int64_t both_alike(const opening *x, const kinds *of_x, const opening *y, const kinds *of_y) {
    int64_t elsewhere = one_alike(y, of_y, 0, 0), sum = 0;
    for (int kind = 0; kind < CARDS / of_x->size; kind++) {
        int64_t ways = alike(x, of_x->size, kind, of_x->left[kind]);
        if (!ways) continue;
        int same = kind * of_x->size / of_y->size, left = of_y->left[same];
        sum += ways * (elsewhere - alike(y, of_y->size, same, left) + alike(y, of_y->size, same, left - x->open));
    }
    return sum;
}

/* cells[((player pair * 2 + banker pair) * 2 + player perfect) * 2 + banker perfect], each way counted `pad` times */
static void count_pairs(int64_t cells[PAIR_CELLS], const uint8_t left[CARDS], int total, const uint8_t dealt[4], int k,
                        int64_t pad) {
    opening p = {k < 1 ? 2 : k < 3 ? 1 : 0, {dealt[0], dealt[2]}};
    opening b = {k < 2 ? 2 : k < 4 ? 1 : 0, {dealt[1], dealt[3]}};
    kinds types = {1, {0}}, ranks = {SUITS, {0}};
    for (int i = 0; i < CARDS; i++) ranks.left[i / SUITS] += types.left[i] = left[i];
    int64_t ways[CONDITIONS + 1][CONDITIONS + 1] = {
        {falling(total, p.open + b.open), one_alike(&b, &ranks, total, p.open), one_alike(&b, &types, total, p.open)},
        {one_alike(&p, &ranks, total, b.open), both_alike(&p, &ranks, &b, &ranks), both_alike(&b, &types, &p, &ranks)},
        {one_alike(&p, &types, total, b.open), both_alike(&p, &types, &b, &ranks), both_alike(&p, &types, &b, &types)},
    };
    memset(cells, 0, PAIR_CELLS * sizeof *cells);
    for (int i = ANY; i < CONDITIONS; i++)
        for (int j = ANY; j < CONDITIONS; j++)
            cells[(i >= PAIR) * 8 + (j >= PAIR) * 4 + (i == PERFECT) * 2 + (j == PERFECT)] =
                pad * (ways[i][j] - ways[i + 1][j] - ways[i][j + 1] + ways[i + 1][j + 1]);
}
#endif

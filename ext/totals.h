/* Totals: in how many ways a coup ends with which totals and which side drawing.
 *
 * Player's cards leave the shoe one by one; what Banker can do with the rest is worked out for ten totals at once.
 * When cards worth x and y have left too, the ordered pairs with total b that Banker can be dealt are
 *
 *     pairs[b] - (those with the x) - (those with the y) + (2 if x and y made such a pair).
 *
 * Three cards come in fewer than 2^28 ways, even from 12 decks: rows hold 32 bits and are widened only when they meet
 * the weight of Player's cards. */
#ifndef TOTALS_H
#define TOTALS_H

#include "lanes.h"

enum { NO_CARD = -1 };
/* Who draws, in the order of the cells. */
enum { NEITHER, BANKER, PLAYER, BOTH, DRAWERS };

/* Totals that draw, as bits. A row is -1 where the coup ends with Banker's first two cards: when Player has a natural,
 * when he stands, when he is to draw, and when he drew a card of each worth. */
typedef struct {
    uint16_t natural, player, banker_after_stand, banker_after[TOTALS];
    row ends_natural, ends_stand, ends_draw, ends_after[TOTALS];
} drawing;

/* Cards by worth, over and over, so that a row turned round by some totals is a load from elsewhere. */
typedef struct {
    int32_t forwards[TOTALS + LANES], backwards[2 * TOTALS + LANES];
} shoe;

/* What Player's first two cards leave to Banker. */
typedef struct {
    row cards[TOTALS];     /* [b][t]: cards that turn total b into t */
    row with_card[TOTALS]; /* [b][t]: pairs with total b that one given such card is part of */
    row pairs;             /* [b]: ordered pairs with total b */
} stock;

typedef struct {
    wide_row of[DRAWERS][TOTALS]; /* [who draws][Player's total][Banker's total] */
} endings;

/* Of Banker's first two cards `open` are to come, and those on the table are worth `held`. */
typedef struct {
    int open, held;
} banker;

/* All that depends on how many cards Banker lacks is in the next two functions and one line of add_drawn. */
INLINE void leave(stock *m, const shoe *s, int a, int c, banker B) {
    for (int b = 0; b < TOTALS; b++)
        for (int i = 0; i < PARTS; i++) {
            store(m->cards[b], i, load(s->forwards + TOTALS - b, i) - one(a + b, i) - one(c + b, i));
            lanes with = {0};
            if (B.open == 1) with = one(2 * b - B.held, i);
            if (B.open == 2) {
                with = load(s->backwards + 2 * (TOTALS - b), i) - one(2 * b - a, i) - one(2 * b - c, i);
                if (b % 2 == 0) with -= one(b / 2 * 3, i) + one(b / 2 * 3 + 5, i); /* no card pairs with itself */
            }
            store(m->with_card[b], i, with * (B.open == 2 ? 2 : 1));
        }
    for (int i = 0; i < PARTS; i++) {
        lanes pairs = {0};
        if (B.open == 0) pairs = one(B.held, i);
        if (B.open == 1) pairs = load(m->cards[B.held], i);
        if (B.open == 2)
            for (int z = 0; z < TOTALS; z++) pairs += m->cards[0][z] * (load(m->cards[z], i) - one(2 * z, i));
        store(m->pairs, i, pairs);
    }
}

/* Banker's pairs when a card worth x has left too. */
INLINE void pairs_without(row pairs, const stock *m, int x, banker B) {
    for (int i = 0; i < PARTS; i++) {
        lanes with = {0};
        if (B.open == 1) with = one(x + B.held, i);
        if (B.open == 2) with = 2 * (load(m->cards[x], i) - one(2 * x, i));
        store(pairs, i, load(m->pairs, i) - with);
    }
}

INLINE void add_stood(wide_row sums, const row pairs, const row ends, int64_t weight) {
    for (int i = 0; i < PARTS; i++) add_product(sums, i, load(pairs, i) & load(ends, i), weight);
}

/* Banker draws on the totals in `set`, after Player's third card if he took one. */
INLINE void add_drawn(wide_row sums, const stock *m, const row pairs, unsigned set, int x, banker B, int64_t weight) {
    lanes drawn[PARTS] = {0};
    for (; set; set &= set - 1) {
        int b = __builtin_ctz(set);
        for (int i = 0; i < PARTS; i++) {
            lanes third = load(m->cards[b], i), two = pairs[b] - load(m->with_card[b], i);
            if (x != NO_CARD) third -= one(b + x, i);
            if (x != NO_CARD && B.open == 2) two += 2 * one(2 * b - x, i);
            drawn[i] += third * two;
        }
    }
    for (int i = 0; i < PARTS; i++) add_product(sums, i, drawn[i], weight);
}

/* Player has cards worth a and c, in `weight` ways, and his third card is worth x if it is on the table. */
INLINE void add_hand(endings *e, const drawing *rules, const shoe *s, int a, int c, int64_t weight, int x, banker B) {
    int p = (a + c) % TOTALS;
    stock m;
    leave(&m, s, a, c, B);
    if (rules->natural >> p & 1) {
        add_stood(e->of[NEITHER][p], m.pairs, rules->ends_natural, weight);
    } else if (!(rules->player >> p & 1)) {
        add_stood(e->of[NEITHER][p], m.pairs, rules->ends_stand, weight);
        add_drawn(e->of[BANKER][p], &m, m.pairs, rules->banker_after_stand, NO_CARD, B, weight);
    } else {
        add_stood(e->of[NEITHER][p], m.pairs, rules->ends_draw, weight);
        int end = x == NO_CARD ? TOTALS : x + 1;
        for (int y = x == NO_CARD ? 0 : x; y < end; y++) {
            int64_t ways = x == NO_CARD ? weight * m.cards[0][y] : weight;
            int total = p + y < TOTALS ? p + y : p + y - TOTALS;
            row pairs;
            if (!ways) continue;
            pairs_without(pairs, &m, y, B);
            add_stood(e->of[PLAYER][total], pairs, rules->ends_after[y], ways);
            add_drawn(e->of[BOTH][total], &m, pairs, rules->banker_after[y], y, B, ways);
        }
    }
}

INLINE void add_hands(endings *e, const drawing *rules, const shoe *s, const int *left, const int *dealt, int k,
                      banker B) {
    int x = k > 4 ? dealt[4] : NO_CARD;
    if (k > 2) {
        add_hand(e, rules, s, dealt[0], dealt[2], 1, x, B);
        return;
    }
    int end = k ? dealt[0] + 1 : TOTALS;
    for (int a = k ? dealt[0] : 0; a < end; a++)
        for (int c = k ? 0 : a; c < TOTALS; c++) {
            int64_t ways = k ? left[c] : a == c ? left[a] * (left[a] - 1) : 2 * left[a] * left[c];
            if (ways) add_hand(e, rules, s, a, c, ways, x, B);
        }
}

/* A coup that is not over, its first k cards dealt, and the cards left by worth. */
CLONES static void count_endings(endings *e, const drawing *rules, const int left[TOTALS], const int *dealt, int k) {
    int all[TOTALS];
    memcpy(all, left, sizeof all);
    for (int i = 0; i < k; i += 2) all[dealt[i]]++; /* Player's: add_hand takes them out, known or not */
    shoe s;
    for (int i = 0; i < TOTALS + LANES; i++) s.forwards[i] = all[i % TOTALS];
    for (int i = 0; i < 2 * TOTALS + LANES; i++) s.backwards[i] = all[(4 * TOTALS - i) % TOTALS];
    memset(e, 0, sizeof *e);
    /* Three calls, as the compiler makes the best of a constant `open`. */
    if (k < 2) add_hands(e, rules, &s, left, dealt, k, (banker){2, 0});
    else if (k < 4) add_hands(e, rules, &s, left, dealt, k, (banker){1, dealt[1]});
    else add_hands(e, rules, &s, left, dealt, k, (banker){0, (dealt[1] + dealt[3]) % TOTALS});
}
#endif

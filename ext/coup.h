/* A coup from any point on: every way it can end, as cells on one denominator.
 *
 * The caller answers for the state: at most 12 cards of a type, cards dealt as the rules have it, enough cards left. */
#ifndef COUP_H
#define COUP_H

#include "pairs.h"
#include "totals.h"

enum { SLOTS = 6, MASKS = 3 + TOTALS, TOTAL_CELLS = TOTALS * TOTALS * DRAWERS, CELLS = TOTAL_CELLS + PAIR_CELLS };

static void read_rules(drawing *rules, const uint16_t masks[MASKS]) {
    memset(rules, 0, sizeof *rules);
    rules->natural = masks[0];
    rules->player = masks[1];
    rules->banker_after_stand = masks[2] & ~masks[0];
    for (int x = 0; x < TOTALS; x++) rules->banker_after[x] = masks[3 + x] & ~masks[0];
    for (int t = 0; t < TOTALS; t++) {
        int natural = masks[0] >> t & 1;
        rules->ends_natural[t] = -1;
        rules->ends_draw[t] = -natural;
        rules->ends_stand[t] = -(natural || !(masks[2] >> t & 1));
        for (int x = 0; x < TOTALS; x++) rules->ends_after[x][t] = -!(natural || masks[3 + x] >> t & 1);
    }
}

static int worth(int card) { return card / SUITS < 9 ? card / SUITS + 1 : 0; }

/* The cell of a coup that is over, -1 while it is not. */
static int final_cell(const drawing *rules, const int dealt[SLOTS], int k) {
    if (k < 4) return -1;
    int p = (dealt[0] + dealt[2]) % TOTALS, b = (dealt[1] + dealt[3]) % TOTALS;
    int player = 0, banker = 0;
    if (!((rules->natural >> p | rules->natural >> b) & 1)) {
        player = rules->player >> p & 1;
        if (k < 4 + player) return -1;
        banker = (player ? rules->banker_after[dealt[4]] : rules->banker_after_stand) >> b & 1;
        if (k < 4 + player + banker) return -1;
    }
    if (player) p = (p + dealt[4]) % TOTALS;
    if (banker) b = (b + dealt[4 + player]) % TOTALS;
    return (p * TOTALS + b) * DRAWERS + player * PLAYER + banker * BANKER;
}

/* Fills the cells and returns what those of totals, and those of pairs, each sum to: ordered completions to six cards,
 * or 1 for a coup that is over. */
static int64_t count_cells(int64_t cells[CELLS], const drawing *rules, const uint8_t remaining[CARDS],
                           const uint8_t *dealt, int k) {
    uint8_t cards[SLOTS] = {0};
    int left[TOTALS] = {0}, worths[SLOTS] = {0}, total = 0;
    for (int i = 0; i < k; i++) worths[i] = worth(cards[i] = dealt[i]);
    for (int i = 0; i < CARDS; i++) {
        left[worth(i)] += remaining[i];
        total += remaining[i];
    }
    int64_t *pairs = cells + TOTAL_CELLS;
    int final = final_cell(rules, worths, k);
    if (final >= 0) {
        memset(cells, 0, TOTAL_CELLS * sizeof *cells);
        cells[final] = 1;
        count_pairs(pairs, remaining, total, cards, 4, 1);
        return 1;
    }
    endings e;
    count_endings(&e, rules, left, worths, k);
    /* A coup that ends early is followed by any cards up to the sixth. */
    int first_four = k < 4 ? 4 - k : 0, fifth = k < 5;
    int64_t last = falling(total - first_four - fifth, 1), last_two = falling(total - first_four, 1 + fifth);
    int64_t pad[DRAWERS] = {last_two, last, last, 1};
    for (int p = 0; p < TOTALS; p++)
        for (int b = 0; b < TOTALS; b++)
            for (int who = 0; who < DRAWERS; who++)
                cells[(p * TOTALS + b) * DRAWERS + who] = pad[who] * e.of[who][p][b];
    count_pairs(pairs, remaining, total, cards, k, last_two);
    return falling(total, SLOTS - k);
}
#endif

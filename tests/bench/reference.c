/* What the kernel is measured against: the plain way, six nested loops over the worths of the cards in dealing order.
 * Every coup goes on to a sixth card, needed or not, and then lands in one of the 400 cells. */
#include <stdint.h>
#include <string.h>

static int banker_draws(int total, int third) {
    if (third < 0) return total <= 5;
    if (total <= 2) return 1;
    if (total == 3) return third != 8;
    if (total == 4) return third >= 2 && third <= 7;
    if (total == 5) return third >= 4 && third <= 7;
    return total == 6 && (third == 6 || third == 7);
}

static int cell(const int card[6]) {
    int player = (card[0] + card[2]) % 10, banker = (card[1] + card[3]) % 10;
    int player_draws = 0, next = 4, draws = 0;
    if (player < 8 && banker < 8) {
        player_draws = player <= 5;
        draws = banker_draws(banker, player_draws ? card[4] : -1);
    }
    if (player_draws) player = (player + card[next++]) % 10;
    if (draws) banker = (banker + card[next]) % 10;
    return (player * 10 + banker) * 4 + player_draws * 2 + draws;
}

void outcome_table(const int counts[52], const int *dealt_ranks, int k, uint64_t out[400]) {
    int left[10] = {0}, low[6], high[6], c[6];
    for (int i = 0; i < 52; i++) left[i / 4 < 9 ? i / 4 + 1 : 0] += counts[i];
    for (int i = 0; i < 6; i++) {
        int known = i < k && dealt_ranks[i] < 9 ? dealt_ranks[i] + 1 : 0;
        low[i] = i < k ? known : 0;
        high[i] = i < k ? known : 9;
    }
    memset(out, 0, 400 * sizeof *out);

/* One loop of the six: a card that is on the table is the only choice, and not one of those left. */
#define DEAL(i, before, ways) \
    for (c[i] = low[i]; c[i] <= high[i]; c[i]++) { \
        uint64_t ways = before * (i < k ? 1 : left[c[i]]); \
        if (!ways) continue; \
        left[c[i]] -= i >= k;
#define BACK(i) \
        left[c[i]] += i >= k; \
    }
    DEAL(0, 1, first)
    DEAL(1, first, second)
    DEAL(2, second, third)
    DEAL(3, third, fourth)
    DEAL(4, fourth, fifth)
    DEAL(5, fifth, sixth)
    out[cell(c)] += sixth;
    BACK(5)
    BACK(4)
    BACK(3)
    BACK(2)
    BACK(1)
    BACK(0)
}

"""Exact counts of how a coup of baccarat can end.

It knows numbers only: masks of totals, counts of 52 cards and groups of cells. It checks what keeps it inside its
buffers; that a state is possible is its caller's word.
"""

from array import array

cimport cython
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t


cdef extern from "coup.h" nogil:
    enum: CARDS
    enum: CELLS
    enum: MASKS
    enum: SLOTS
    enum: TOTALS
    ctypedef struct drawing:
        pass
    void read_rules(drawing *rules, const uint16_t *masks)
    int64_t count_cells(int64_t *cells, const drawing *rules, const uint8_t *remaining, const uint8_t *dealt, int k)


@cython.final
@cython.auto_pickle(False)
cdef class CoupCounter:
    """Exact counts of how a coup can end, folded into groups of cells.

    Cells 0 to 399 are how the coup ends: ``((player_total * 10 + banker_total) * 2 + (player_cards - 2)) * 2 +
    (banker_cards - 2)``. Cells 400 to 415 are the pairs among the first two cards of each side: ``400 +
    ((player_pair * 2 + banker_pair) * 2 + player_perfect) * 2 + banker_perfect``. Each kind sums to the denominator.

    Args:
        rules: Thirteen bit masks over totals 0 to 9: naturals, which end the coup whatever else holds; Player draws;
            Banker draws when Player stood; then Banker draws when Player's third card is worth 0, 1, ... 9.
        groups: The cells of each group.

    Raises:
        ValueError: A mask or a cell is out of range, or their number is wrong.

    Examples:
        >>> rules = [0x300, 0x3F, 0x3F, 0x0F, 0x0F, 0x1F, 0x1F, 0x3F, 0x3F, 0x7F, 0x7F, 0x07, 0x0F]
        >>> four_cards = range(0, 400, 4)
        >>> out = array("q", [0])
        >>> CoupCounter(rules, [four_cards]).count(bytes([6] * 52), b"", out), out[0]
        (878869206895680, 333025560274176)
    """

    cdef readonly int groups
    cdef drawing rules
    # Cells in the same groups make a class and are summed once; a group is then a sum of classes.
    cdef const uint16_t[::1] cells_of, classes_of
    cdef const uint32_t[::1] cell_ends, class_ends

    def __cinit__(self, rules, groups):
        cdef uint16_t masks[MASKS]
        rules = list(rules)
        if len(rules) != MASKS:
            raise ValueError(f"drawing rules are {MASKS} masks, not {len(rules)}")
        for i, mask in enumerate(rules):
            if not 0 <= mask < 1 << TOTALS:
                raise ValueError(f"mask {i} of the drawing rules is no set of totals 0 to 9: {mask}")
            masks[i] = mask
        read_rules(&self.rules, masks)

        groups = [frozenset(group) for group in groups]
        if not groups:
            raise ValueError("there must be a group to count")
        classes = {}
        for cell in sorted(frozenset().union(*groups)):
            if not 0 <= cell < CELLS:
                raise ValueError(f"no cell {cell}: cells are 0 to {CELLS - 1}")
            owners = tuple(i for i, group in enumerate(groups) if cell in group)
            classes.setdefault(owners, []).append(cell)
        self.groups = len(groups)
        self.cells_of, self.cell_ends = flat(classes.values())
        self.classes_of, self.class_ends = flat(
            [number for number, owners in enumerate(classes) if i in owners] for i in range(len(groups))
        )

    cdef int64_t fold(self, const uint8_t *remaining, const uint8_t *dealt, int k, int64_t *out) noexcept nogil:
        cdef int64_t cells[CELLS]
        cdef int64_t classes[CELLS]
        cdef int64_t ways = count_cells(cells, &self.rules, remaining, dealt, k)
        add_up(classes, cells, self.cells_of, self.cell_ends)
        add_up(out, classes, self.classes_of, self.class_ends)
        return ways

    def count(self, const uint8_t[::1] remaining not None, const uint8_t[::1] dealt not None,
              int64_t[::1] out not None):
        """Count one state's groups. Keeps the GIL: for some 10 µs, letting it go costs more than it gives.

        Args:
            remaining: How many of each card, ``rank * 4 + suit``, are in the shoe.
            dealt: The coup's cards in dealing order. They are not in the shoe.
            out: Receives the count of each group.

        Returns:
            The denominator: ordered completions of the coup to six cards, 1 when it is complete.

        Raises:
            ValueError: A buffer has the wrong size, or a card is none.
        """
        check("remaining", remaining.shape[0], CARDS)
        check("out", out.shape[0], self.groups)
        check_cards(first(dealt), dealt.shape[0])
        return self.fold(&remaining[0], first(dealt), <int>dealt.shape[0], &out[0])

    def cells(self, const uint8_t[::1] remaining not None, const uint8_t[::1] dealt not None,
              int64_t[::1] out not None):
        """Count one state's 416 cells; otherwise like ``count``."""
        check("remaining", remaining.shape[0], CARDS)
        check("out", out.shape[0], CELLS)
        check_cards(first(dealt), dealt.shape[0])
        return count_cells(&out[0], &self.rules, &remaining[0], first(dealt), <int>dealt.shape[0])

    def count_many(self, const uint8_t[:, ::1] remaining not None, const uint8_t[:, ::1] dealt not None,
                   const uint8_t[::1] lengths not None, int64_t[::1] totals not None, int64_t[:, ::1] out not None):
        """Count the groups of many states, one a row, without the GIL.

        Args:
            remaining: As for ``count``.
            dealt: As for ``count``, in six columns.
            lengths: How many cards each coup has; the columns after them do not matter.
            totals: Receives the denominators.
            out: Receives the counts.

        Raises:
            ValueError: A buffer has the wrong shape, or a card is none.
        """
        cdef Py_ssize_t i, states = lengths.shape[0]
        check("remaining", remaining.shape[0], states)
        check("dealt", dealt.shape[0], states)
        check("totals", totals.shape[0], states)
        check("out", out.shape[0], states)
        check("a row of remaining", remaining.shape[1], CARDS)
        check("a row of dealt", dealt.shape[1], SLOTS)
        check("a row of out", out.shape[1], self.groups)
        for i in range(states):
            check_cards(&dealt[i, 0], lengths[i])
        with nogil:
            for i in range(states):
                totals[i] = self.fold(&remaining[i, 0], &dealt[i, 0], lengths[i], &out[i, 0])


def deplete(uint8_t decks, const uint8_t[::1] removed not None):
    """Count what a shoe holds when these cards have left it.

    Args:
        decks: How many of each card it was loaded with.
        removed: Cards, ``rank * 4 + suit``, in any order.

    Returns:
        How many of each card are left; None when more of one have left than there were.

    Raises:
        ValueError: A card is none.
    """
    cdef uint8_t counts[CARDS]
    cdef Py_ssize_t i
    for i in range(CARDS):
        counts[i] = decks
    for i in range(removed.shape[0]):
        if removed[i] >= CARDS:
            raise ValueError(f"no card {removed[i]}: cards are 0 to {CARDS - 1}")
        if counts[removed[i]] == 0:
            return None
        counts[removed[i]] -= 1
    return counts[:CARDS]


cdef void add_up(int64_t *sums, const int64_t *values, const uint16_t[::1] members,
                 const uint32_t[::1] ends) noexcept nogil:
    cdef Py_ssize_t group, i = 0
    cdef int64_t total
    for group in range(ends.shape[0]):
        total = 0
        while i < ends[group]:
            total += values[members[i]]
            i += 1
        sums[group] = total


cdef flat(lists):
    """Lists end to end, and where each ends."""
    members, ends = array("H"), array("I")
    for each in lists:
        members.extend(each)
        ends.append(len(members))
    return members, ends


cdef inline const uint8_t *first(const uint8_t[::1] cards) noexcept:
    return &cards[0] if cards.shape[0] else NULL


cdef int check(str what, Py_ssize_t size, Py_ssize_t needed) except -1:
    if size != needed:
        raise ValueError(f"{what}: size {size}, but {needed} needed")
    return 0


cdef int check_cards(const uint8_t *dealt, Py_ssize_t k) except -1:
    cdef Py_ssize_t i
    if k > SLOTS:
        raise ValueError(f"a coup has at most {SLOTS} cards, not {k}")
    for i in range(k):
        if dealt[i] >= CARDS:
            raise ValueError(f"no card {dealt[i]}: cards are 0 to {CARDS - 1}")
    return 0

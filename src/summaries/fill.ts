/** Counts per search: each one costs as much as a count of the whole message. */
const MAX_COUNTS = 12;

/**
 * The largest `size` ≤ `most` whose `tokens(size)` is within `cap`, found with few counts. `guess` is where to start; a
 * size that leaves at most `slack` tokens unused will do.
 * Assumes that more items never take fewer tokens; where that fails by a little, the result is still within `cap`.
 */
export function largestFit(
  most: number,
  cap: number,
  guess: number,
  tokens: (size: number) => number,
  slack = 0,
): number | undefined {
  let low = -1;
  let lowTokens = 0;
  let high = most + 1;
  let highTokens = Number.POSITIVE_INFINITY;
  let next = Math.min(most, Math.max(0, Math.round(guess)));
  for (let counts = 0; counts < MAX_COUNTS && high - low > 1; counts++) {
    const size = tokens(next);
    if (size <= cap) {
      low = next;
      lowTokens = size;
      if (size >= cap - slack) break;
    } else {
      high = next;
      highTokens = size;
    }
    if (high - low <= 1) break;
    // Tokens grow about evenly with items: aim where the line through the known points meets the cap.
    const perItem =
      low >= 0 && Number.isFinite(highTokens)
        ? (highTokens - lowTokens) / (high - low)
        : size / Math.max(1, next);
    const from = low >= 0 ? low : 0;
    const aim =
      low >= 0
        ? from + (cap - lowTokens) / Math.max(1, perItem)
        : next - (size - cap) / Math.max(1, perItem) - 1;
    next = Math.min(high - 1, Math.max(low + 1, Math.floor(aim)));
  }
  if (low >= 0) return low;
  return tokens(0) <= cap ? 0 : undefined;
}

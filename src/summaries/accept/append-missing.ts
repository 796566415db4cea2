/** Stands before the items that a model left out even when asked again. */
const LEAD = "Also: ";
const SEPARATOR = " · ";

/**
 * The summary with one line of the items that it lacks, as many as fit its ceiling, first ones first. The text itself is
 * left as it is.
 */
export function appendMissing(
  text: string,
  missing: readonly string[],
  cap: number,
  count: (text: string) => number,
): string {
  const items = missing.map((item) => item.replace(/\s+/g, " ").trim()).filter((item) => item !== "");
  const withFirst = (number: number): string => `${text}\n${LEAD}${items.slice(0, number).join(SEPARATOR)}`;
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (count(withFirst(middle)) <= cap) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? text : withFirst(low);
}

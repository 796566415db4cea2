/**
 * The largest of the numbers `from` to `to` of which the test is true; `from` − 1 if it is true of none. A test that is true of a number
 * has to be true of all smaller ones: the place is found by halving.
 */
export function lastTrue(from: number, to: number, isTrue: (number: number) => boolean): number {
  let low = from - 1;
  let high = to + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isTrue(middle)) low = middle;
    else high = middle;
  }
  return low;
}

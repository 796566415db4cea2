/** The size to which all are cut so that together they have `total`: small ones leave their room to the others. Infinity: all fit whole. */
export function evenShare(sizes: readonly number[], total: number): number {
  const sorted = sizes.toSorted((a, b) => a - b);
  let left = total;
  for (const [at, size] of sorted.entries()) {
    const share = left / (sorted.length - at);
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

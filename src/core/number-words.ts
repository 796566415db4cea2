/** Numbers as people read them, in a terminal and on the page; the same in every locale, so that outputs can be compared. */

/** 1234567 → `1,234,567`. */
export const formatCount = (value: number): string =>
  Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");

/** Dollars: `$1,234`, `$1.20`, `$0.0042`, and of less than a hundredth of a cent that it is less. */
export function formatDollars(value: number): string {
  if (value === 0) return "$0";
  if (value < 0.0001) return "less than $0.0001";
  if (value >= 100) return `$${formatCount(value)}`;
  return `$${value >= 0.1 ? value.toFixed(2) : value.toFixed(4).replace(/0{1,2}$/, "")}`;
}

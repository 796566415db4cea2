/** A UUID of version 7: what is made together lies together in an index, which makes writing it several times cheaper. */
export function timeOrderedId(now: number = Date.now()): string {
  const time = Math.floor(now).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${crypto.randomUUID().slice(15)}`;
}

/** Freezes a value and everything inside it, so that a write to it throws at the line that wrote. */
export function deepFreeze<T>(value: T): T {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    // A typed array with elements can't be frozen; it holds no objects either.
    if (typeof next !== "object" || next === null || Object.isFrozen(next) || ArrayBuffer.isView(next))
      continue;
    Object.freeze(next);
    pending.push(...Object.values(next));
  }
  return value;
}

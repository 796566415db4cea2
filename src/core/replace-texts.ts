/**
 * Puts something else in the place of texts, wherever they stand in JSON: what `replace` returns, or the text itself where
 * that is undefined. A list of what is still to be looked at takes the place of a recursion: what comes from outside may be
 * nested to any depth.
 */
export function replaceTexts(json: object, replace: (text: string) => unknown): void {
  const open: object[] = [json];
  const look = (holder: object, key: string | number, value: unknown): void => {
    if (typeof value === "object" && value !== null) open.push(value);
    const other = typeof value === "string" ? replace(value) : undefined;
    if (other === undefined) return;
    // A field called `__proto__` is a field like any other.
    Object.defineProperty(holder, key, {
      value: other,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  };
  for (let holder = open.pop(); holder; holder = open.pop()) {
    // By number: the names of a million places would be a million texts.
    if (Array.isArray(holder)) for (let at = 0; at < holder.length; at++) look(holder, at, holder[at]);
    else for (const [key, value] of Object.entries(holder)) look(holder, key, value);
  }
}

/** Changes the n-th value of a tree of JSON, or removes it. */
export function changeValue(root: object, where: number, value: unknown, remove = false): void {
  const places: [Record<string, unknown>, string][] = [];
  const walk = (node: unknown) => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, child] of Object.entries(node)) {
      places.push([node as Record<string, unknown>, key]);
      walk(child);
    }
  };
  walk(root);
  const [node, key] = places[where % places.length]!;
  if (remove && Array.isArray(node)) node.splice(Number(key), 1);
  else if (remove) delete node[key];
  // A copy: what is changed later may lie within it, and it may be put into itself.
  else node[key] = structuredClone(value);
}

/** The same with the fields of every object in reverse order, as a database may give it back. */
export function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([key, inner]) => [key, reordered(inner)] as const);
  return Object.fromEntries(fields.reverse());
}

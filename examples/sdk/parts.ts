/** Stands for the files that the examples' agents read: part 3 holds the line that matters. */
export function readPart({ path }: { path: string }): string {
  const number = /\d+/.exec(path)?.[0] ?? "0";
  const lines = Array.from(
    { length: 30 },
    (_, i) => `export const value${number}x${i} = compute("${number}-${i}");`,
  );
  return number === "3"
    ? `// Decision: port 4180 is opened by part-3.\n${lines.join("\n")}`
    : lines.join("\n");
}

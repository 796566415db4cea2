/** A test for a name with `*` for any characters. */
export function glob(pattern: string): (text: string) => boolean {
  if (!pattern.includes("*")) return (text) => text === pattern;
  const source = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const regex = new RegExp(`^${source.join(".*")}$`, "is");
  return (text) => regex.test(text);
}

/**
 * Compares the figures of a page with the results that they come from. A page names them in a comment before a table or a paragraph:
 *
 *     <!-- figures
 *     retention > sets > id=agent-sessions/cuts > rows > contestant=precis & budget=10 % > measures > naar | naar-ctx
 *     page > openMs > warm ÷ 1000
 *     -->
 *
 * Each line is a file of bench/results and a path in it. `name=value` chooses an item of a list, `*` takes all that is there, `|` stands
 * between several names at the end, `×` or `÷` and a number change the unit, `{a,b}` makes two lines of one. The values of a line must stand in
 * this order in one row of the table, or in the paragraph, rounded as the page shows them. A number with decimals that no line names is a
 * fault: write figures so, and counts of what was done ("88 sessions") without.
 */

export type Fault = { line: number; message: string };
/** A number of a page: how it is written, what it is, and how far the exact value may be from it. */
type Shown = { text: string; value: number; tolerance: number };

/** `page`: Markdown. `read`: a file of bench/results, by its name. Returns what is wrong, and how many values were compared. */
export function checkFigures(
  page: string,
  read: (file: string) => unknown,
): { faults: Fault[]; values: number } {
  const faults: Fault[] = [];
  let values = 0;
  for (const found of page.matchAll(/<!-- figures\n([\s\S]*?)-->\s*\n([\s\S]*?)(?=\n\s*\n|$(?![\s\S]))/g)) {
    const [, sources = "", block = ""] = found;
    const line = page.slice(0, found.index).split("\n").length;
    const isTable = block.trimStart().startsWith("|");
    const rows = (isTable ? block.split("\n").filter((row) => row.includes("|")) : [block]).map(numbersIn);
    const backed: Set<Shown> = new Set();
    const lines = sources.trimEnd().split("\n");
    for (const { at, source } of lines.flatMap((one, at) =>
      spreadOut(one).map((source) => ({ at, source })),
    )) {
      if (source.trim() === "") continue;
      try {
        const wanted = valuesAt(source, read);
        values += wanted.length;
        const shown = (isOpen: (one: Shown) => boolean) =>
          rows.map((numbers) => inOrder(wanted, numbers.filter(isOpen))).find((one) => one !== undefined);
        // The same figure may stand there twice: each line takes one that no other has.
        const row = shown((one) => !backed.has(one)) ?? shown(() => true);
        for (const one of row ?? []) backed.add(one);
        if (!row)
          faults.push({
            line: line + at + 1,
            message: `${source.trim()} is ${wanted.map(shortly).join(" | ")}`,
          });
      } catch (error) {
        faults.push({ line: line + at + 1, message: error instanceof Error ? error.message : String(error) });
      }
    }
    for (const one of rows.flat())
      if (one.text.includes(".") && !backed.has(one))
        faults.push({ line, message: `no result is named for ${one.text} in what follows` });
  }
  return { faults, values };
}

/** A line for each of the names in its braces. */
function spreadOut(line: string): string[] {
  const [whole, names = ""] = /\{(.+?)\}/.exec(line) ?? [];
  return whole === undefined
    ? [line]
    : names.split(",").flatMap((name) => spreadOut(line.replace(whole, name)));
}

function valuesAt(source: string, read: (file: string) => unknown): number[] {
  const [path = "", ...factors] = source.trim().split(/ (?=[×÷] )/);
  const [file = "", ...steps] = path.split(" > ");
  let at: unknown[] = [read(file)];
  for (const step of steps) at = at.flatMap((one) => below(one, step.trim()));
  const scale = factors.reduce(
    (made, one) => (one.startsWith("×") ? made * Number(one.slice(2)) : made / Number(one.slice(2))),
    1,
  );
  if (at.length === 0 || at.some((one) => typeof one !== "number"))
    throw new Error(`bench/results/${file}.json has no number at ${steps.join(" > ")}`);
  return at.map((one) => Number(one) * scale);
}

function below(value: unknown, step: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (step === "*") return Object.values(value);
  if (Array.isArray(value) && step.includes("=")) {
    const wanted = step.split(" & ").map((one) => one.split("="));
    return value.filter((item) => wanted.every(([name = "", is]) => String(item[name]) === is)).slice(0, 1);
  }
  const names = step.split(" | ");
  return names.map((name) => (value as Record<string, unknown>)[name]);
}

function numbersIn(text: string): Shown[] {
  const plain = text.replaceAll("−", "-").replace(/\]\([^)]*\)/g, "]");
  return [...plain.matchAll(/-?\d+(?:,\d{3})*(?:\.\d+)?/g)].map(([shown]) => {
    const digits = shown.replaceAll(",", "");
    const [, decimals = ""] = digits.split(".");
    const significant = digits.replace(/^-?0*/, "").replace(/0+$/, "");
    // "3,300" stands for all that rounds to it; "100" for nothing but 100.
    const zeros =
      decimals === "" && significant.length > 1 ? digits.length - digits.replace(/0+$/, "").length : 0;
    return { text: shown, value: Number(digits), tolerance: 0.5 * 10 ** (zeros - decimals.length) + 1e-9 };
  });
}

/** The numbers that show the values, if they stand there in this order. Of several that do, the one with the most digits: a "2" is near 2.4. */
function inOrder(wanted: readonly number[], numbers: readonly Shown[]) {
  const found: Shown[] = [];
  let rest = numbers;
  for (const value of wanted) {
    const [best] = rest
      .filter((one) => Math.abs(one.value - value) <= one.tolerance)
      .toSorted((a, b) => a.tolerance - b.tolerance);
    if (!best) return undefined;
    found.push(best);
    rest = rest.slice(rest.indexOf(best) + 1);
  }
  return found;
}

const shortly = (value: number) => String(Math.round(value * 1_000) / 1_000);

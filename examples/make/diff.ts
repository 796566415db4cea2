/** A unified diff of two texts, as git prints it. */

const CONTEXT_LINES = 3;

type Line = { readonly sign: " " | "-" | "+"; readonly text: string };

/** Longest common subsequence by dynamic programming: the files of the examples are a few hundred lines. */
function compare(before: readonly string[], after: readonly string[]): Line[] {
  const width = after.length + 1;
  const best = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      best[i * width + j] =
        before[i] === after[j]
          ? best[(i + 1) * width + j + 1]! + 1
          : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ sign: " ", text: before[i++]! });
      j++;
    } else if (
      j === after.length ||
      (i < before.length && best[(i + 1) * width + j]! >= best[i * width + j + 1]!)
    ) {
      lines.push({ sign: "-", text: before[i++]! });
    } else {
      lines.push({ sign: "+", text: after[j++]! });
    }
  }
  return lines;
}

const toLines = (text: string | undefined) => (text ? text.replace(/\n$/, "").split("\n") : []);

export interface FileDiff {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

/** The diff of one file; undefined on a side means that the file isn't there. */
export function diffFile(path: string, before: string | undefined, after: string | undefined): FileDiff {
  const lines = compare(toLines(before), toLines(after));
  const shown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some((line) => line.sign !== " "),
  );
  const out = [`diff --git a/${path} b/${path}`];
  if (before === undefined) out.push("new file mode 100644");
  if (after === undefined) out.push("deleted file mode 100644");
  out.push(before === undefined ? "--- /dev/null" : `--- a/${path}`);
  out.push(after === undefined ? "+++ /dev/null" : `+++ b/${path}`);

  let oldLine = 1;
  let newLine = 1;
  for (let at = 0; at < lines.length; ) {
    if (!shown[at]) {
      oldLine++;
      newLine++;
      at++;
      continue;
    }
    let end = at;
    while (end < lines.length && shown[end]) end++;
    const hunk = lines.slice(at, end);
    const oldCount = hunk.filter((line) => line.sign !== "+").length;
    const newCount = hunk.filter((line) => line.sign !== "-").length;
    out.push(
      `@@ -${oldCount ? oldLine : oldLine - 1},${oldCount} +${newCount ? newLine : newLine - 1},${newCount} @@`,
    );
    out.push(...hunk.map((line) => line.sign + line.text));
    oldLine += oldCount;
    newLine += newCount;
    at = end;
  }
  return {
    text: out.join("\n"),
    added: lines.filter((line) => line.sign === "+").length,
    removed: lines.filter((line) => line.sign === "-").length,
  };
}

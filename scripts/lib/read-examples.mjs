// @ts-check

/** A piece of TypeScript in a text, and the line on which it begins. @typedef {{ line: number, code: string, flags: string[] }} Example */
/** @typedef {{ line: number, text: string }} Line */

/** `no-check`: not even compiled. `no-run`: compiled only, because it needs a server or a key. */
const FLAGS = ["no-check", "no-run"];

/**
 * The fenced TypeScript of a Markdown text. A fence may opt out with a flag after its `ts`.
 * @param {string} text
 * @returns {{ examples: Example[], faults: { line: number, message: string }[] }}
 */
export function readMarkdown(text) {
  return readFences(text.split("\n").map((line, index) => ({ line: index + 1, text: line })));
}

/**
 * The TypeScript under `@example` in the doc comments of a source text, fenced or plain.
 * @param {string} text
 * @returns {{ examples: Example[], faults: { line: number, message: string }[] }}
 */
export function readDocComments(text) {
  /** @type {Example[]} */
  const examples = [];
  /** @type {{ line: number, message: string }[]} */
  const faults = [];
  for (const comment of text.matchAll(/\/\*\*[\s\S]*?\*\//g)) {
    const first = text.slice(0, comment.index).split("\n").length;
    const lines = comment[0].split("\n").map((line, index) => ({
      line: first + index,
      text: line.replace(/^\s*(\/\*\*|\*(?!\/)) ?/, "").replace(/\s*\*\/$/, ""),
    }));
    for (const [index, { line, text: content }] of lines.entries()) {
      if (!content.startsWith("@example")) continue;
      const end = lines.findIndex((later, at) => at > index && /^@\w/.test(later.text));
      const body = lines.slice(index + 1, end < 0 ? undefined : end);
      const found = readFences(body);
      const plain = body.map((item) => item.text).join("\n");
      if (plain.trim() === "") faults.push({ line, message: "@example without code in the lines below it" });
      else if (found.examples.length === 0) examples.push({ line: line + 1, code: plain, flags: [] });
      examples.push(...found.examples);
      faults.push(...found.faults);
    }
  }
  return { examples, faults };
}

/**
 * @param {readonly Line[]} lines
 * @returns {{ examples: Example[], faults: { line: number, message: string }[] }}
 */
function readFences(lines) {
  /** @type {Example[]} */
  const examples = [];
  /** @type {{ line: number, message: string }[]} */
  const faults = [];
  /** @type {{ info: string, line: number, indent: number, code: string[] } | undefined} */
  let open;
  for (const { line, text } of lines) {
    const fence = /^( *)```(.*)$/.exec(text);
    if (fence === null) open?.code.push(text.slice(open.indent));
    else if (open === undefined) {
      open = { info: (fence[2] ?? "").trim(), line: line + 1, indent: fence[1]?.length ?? 0, code: [] };
    } else {
      const [language, ...flags] = open.info.split(/\s+/);
      if (language === "typescript")
        faults.push({ line: open.line - 1, message: "write ```ts, so that it is checked" });
      const unknown = flags.filter((flag) => !FLAGS.includes(flag));
      if (language === "ts" && unknown.length > 0) {
        faults.push({
          line: open.line - 1,
          message: `\`\`\`ts knows only ${FLAGS.join(" and ")}, not "${unknown.join(" ")}"`,
        });
      }
      if (language === "ts") examples.push({ line: open.line, code: open.code.join("\n"), flags });
      open = undefined;
    }
  }
  if (open !== undefined) faults.push({ line: open.line - 1, message: "the fence isn't closed" });
  return { examples, faults };
}

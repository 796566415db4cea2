import { COMMANDS } from "../../src/cli/commands.ts";
import { flagName } from "../../src/cli/flags.ts";
import { lineAt, parseSource, walk } from "./parse-source.ts";

/** A piece of TypeScript in a text, and the line on which it begins. */
export type Example = { line: number; code: string; flags: string[] };
type Line = { line: number; text: string };

/** `no-check`: not even compiled. `no-run`: compiled only, because it needs a server or a key. */
const FLAGS = ["no-check", "no-run"];

/** The fenced TypeScript of a Markdown text. A fence may opt out with a flag after its `ts`. */
export function readMarkdown(text: string): {
  examples: Example[];
  faults: { line: number; message: string }[];
} {
  return readFences(text.split("\n").map((line, index) => ({ line: index + 1, text: line })));
}

/** The TypeScript under `@example` in the doc comments of a source text, fenced or plain. */
export function readDocComments(text: string): {
  examples: Example[];
  faults: { line: number; message: string }[];
} {
  const examples: Example[] = [];
  const faults: { line: number; message: string }[] = [];
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

function readFences(lines: readonly Line[]): {
  examples: Example[];
  faults: { line: number; message: string }[];
} {
  const examples: Example[] = [];
  const faults: { line: number; message: string }[] = [];
  let open: { info: string; line: number; indent: number; code: string[] } | undefined;
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

/** A call of the command line: at the start of a line, behind variables, or at the end of a pipe. */
const CALL = /(?:^\s*(?:\w+=\S+ +)*(?:npx +)?|\| *)precis ([a-z]+)(?=\s|$)([^#|]*)/;

/**
 * The lines of shell examples that call `precis` with a command or a flag that there isn't.
 * `text`: of a page.
 */
export function unknownCommands(text: string): { line: number; message: string }[] {
  const faults: { line: number; message: string }[] = [];
  let isShell = false;
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^ *```(\w*)/.exec(line);
    if (fence !== null) isShell = !isShell && fence[1] === "sh";
    const called = isShell ? CALL.exec(line) : null;
    if (called === null) continue;
    const [, name = "", rest = ""] = called;
    const known = flagsOf(name, rest);
    if (known === undefined) faults.push({ line: index + 1, message: `there is no command precis ${name}` });
    // What stands after `--` belongs to another program.
    const own = (rest.split(/\s--(?:\s|$)/)[0] ?? "").replace(/'[^']*'|"[^"]*"/g, "");
    for (const [, flag = ""] of own.matchAll(/\s--([a-z-]+)/g))
      if (known !== undefined && !known.has(flag))
        faults.push({ line: index + 1, message: `precis ${name} has no flag --${flag}` });
  }
  return faults;
}

/** The flags of a command, or of all of a group; undefined if there is no such command. */
function flagsOf(name: string, rest: string): Set<string> | undefined {
  const whole = `${name} ${rest.trim().split(/\s/)[0]}`;
  const found = Object.entries(COMMANDS).filter(([one]) => one === whole || one === name);
  const all =
    found.length > 0 ? found : Object.entries(COMMANDS).filter(([one]) => one.startsWith(`${name} `));
  if (all.length === 0) return undefined;
  return new Set(["help", ...all.flatMap(([, { flags }]) => Object.keys(flags).map(flagName))]);
}

/**
 * The names of a file of types (types, properties, string values) that a reference never mentions as code.
 * `types`: source text. `pages`: Markdown texts.
 */
export function missingInReference(
  types: string,
  pages: readonly string[],
): { name: string; line: number }[] {
  const code = pages.flatMap((page) => page.match(/```[\s\S]*?```|`[^`\n]+`/g) ?? []).join(" ");
  const mentioned = new Set(code.match(/[\w-]+/g));
  const names: Map<string, number> = new Map();
  const add = (name: string, offset: number) => {
    if (!names.has(name)) names.set(name, lineAt(types, offset));
  };
  for (const statement of parseSource(types, "types.ts").body) {
    if (statement.type !== "ExportNamedDeclaration" || !statement.declaration?.id) continue;
    add(statement.declaration.id.name, statement.start);
    walk(statement.declaration, (node) => {
      if (node.type === "TSPropertySignature" || node.type === "TSMethodSignature")
        add(node.key.name, node.start);
      if (node.type === "TSLiteralType" && typeof node.literal.value === "string")
        add(node.literal.value, node.start);
    });
  }
  return [...names].filter(([name]) => !mentioned.has(name)).map(([name, line]) => ({ name, line }));
}

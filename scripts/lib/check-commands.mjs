// @ts-check
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./project.mjs";

/** A call of the command line: at the start of a line, behind variables, or at the end of a pipe. */
const CALL = /(?:^\s*(?:\w+=\S+ +)*(?:npx +)?|\| *)precis ([a-z]+)(?=\s|$)([^#|]*)/;

/**
 * The lines of shell examples that call `precis` with a command or a flag that there isn't.
 * @param {string} text of a page
 * @returns {Promise<{ line: number, message: string }[]>}
 */
export async function unknownCommands(text) {
  /** @type {{ line: number, message: string }[]} */
  const faults = [];
  let isShell = false;
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^ *```(\w*)/.exec(line);
    if (fence !== null) isShell = !isShell && fence[1] === "sh";
    const called = isShell ? CALL.exec(line) : null;
    if (called === null) continue;
    const [, name = "", rest = ""] = called;
    const known = await flagsOf(name);
    if (known === undefined) faults.push({ line: index + 1, message: `there is no command precis ${name}` });
    // What stands after `--` belongs to another program.
    const own = (rest.split(/\s--(?:\s|$)/)[0] ?? "").replace(/'[^']*'|"[^"]*"/g, "");
    for (const [, flag = ""] of own.matchAll(/\s--([a-z-]+)/g))
      if (known !== undefined && !known.has(flag))
        faults.push({ line: index + 1, message: `precis ${name} has no flag --${flag}` });
  }
  return faults;
}

/**
 * The flags of a command; undefined if there is no such command.
 * @param {string} name
 * @returns {Promise<Set<string> | undefined>}
 */
async function flagsOf(name) {
  const file = join(root, `src/cli/${name}.ts`);
  if (!existsSync(file)) return undefined;
  const { flags } = (await import(file))[`${name}Line`] ?? {};
  return flags && new Set([...Object.keys(flags), "help"]);
}

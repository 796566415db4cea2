// @ts-check
import { COMMANDS } from "../../src/cli/commands.ts";
import { flagName } from "../../src/cli/flags.ts";

/** A call of the command line: at the start of a line, behind variables, or at the end of a pipe. */
const CALL = /(?:^\s*(?:\w+=\S+ +)*(?:npx +)?|\| *)precis ([a-z]+)(?=\s|$)([^#|]*)/;

/**
 * The lines of shell examples that call `precis` with a command or a flag that there isn't.
 * @param {string} text of a page
 * @returns {{ line: number, message: string }[]}
 */
export function unknownCommands(text) {
  /** @type {{ line: number, message: string }[]} */
  const faults = [];
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

/**
 * The flags of a command, or of all of a group; undefined if there is no such command.
 * @param {string} name
 * @param {string} rest
 * @returns {Set<string> | undefined}
 */
function flagsOf(name, rest) {
  const whole = `${name} ${rest.trim().split(/\s/)[0]}`;
  const found = Object.entries(COMMANDS).filter(([one]) => one === whole || one === name);
  const all =
    found.length > 0 ? found : Object.entries(COMMANDS).filter(([one]) => one.startsWith(`${name} `));
  if (all.length === 0) return undefined;
  return new Set(["help", ...all.flatMap(([, { flags }]) => Object.keys(flags).map(flagName))]);
}

/**
 * Reads the scripts of the examples. A script is plain text: a line `%% name rest` starts a step, the lines up to the
 * next one are its body. `%%=` alone on a line parts a body in two (the old and the new text of an edit).
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Step {
  readonly name: string;
  readonly rest: string;
  readonly body: string;
  /** Where it stands, for error messages. */
  readonly at: string;
}

function trimBlankLines(lines: readonly string[]): string {
  return lines.join("\n").replace(/^\n+|\s+$/g, "");
}

/** All steps of the scripts in a folder, in the order of their names. */
export function readScripts(folder: string): Step[] {
  const steps: Step[] = [];
  for (const file of readdirSync(folder).sort()) {
    let open: { name: string; rest: string; at: string; lines: string[] } | undefined;
    const close = () => {
      if (open)
        steps.push({ name: open.name, rest: open.rest, at: open.at, body: trimBlankLines(open.lines) });
    };
    for (const [i, line] of readFileSync(join(folder, file), "utf8").split("\n").entries()) {
      const start = /^%% (\S+) ?(.*)$/.exec(line);
      if (start) {
        close();
        open = { name: start[1]!, rest: start[2]!, at: `${file}:${i + 1}`, lines: [] };
      } else if (open) {
        open.lines.push(line);
      } else if (line.trim() !== "") {
        throw new Error(`${file}:${i + 1}: text before the first step`);
      }
    }
    close();
  }
  return steps;
}

/** The two halves of a body that `%%=` parts. */
export function halves(step: Step): [string, string] {
  const [before, after, ...more] = step.body.split(/^%%=$/m);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${step.at}: the body needs exactly one %%= line`);
  }
  return [before.replace(/\n$/, ""), after.replace(/^\n/, "")];
}

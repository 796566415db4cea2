import { statSync } from "node:fs";
import { UsageError } from "../parse-flags.ts";
import { FileError } from "../read-lines.ts";

/** What a folder of data holds: none comes with precis. */
export const DATA_NEEDED =
  "It must hold recorded conversations of your own, as .json, .jsonl or .traj files (plain or .gz) that precis replay reads: logs of Claude Code, Codex, pi, OpenHands or SWE-agent, or lists of { role, content } messages.";

/** Says in words why a folder of data can't be read. */
export function checkDataFolder(data: string): void {
  const found = statSync(data, { throwIfNoEntry: false });
  if (found === undefined)
    throw new FileError(
      `there is no folder ${data}, and no data comes with precis. Give a folder with --data DIR. ${DATA_NEEDED}`,
    );
  if (!found.isDirectory()) throw new UsageError(`--data ${data} is a file. Give a folder.`);
}

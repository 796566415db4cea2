/**
 * Writes the example conversations from their scripts in `make/`: `node examples/make.ts`.
 * Same scripts, same bytes; `node examples/make.ts --check` fails if the files in this folder are out of date.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codingSession } from "./make/coding-session.ts";
import { retrievalChat } from "./make/retrieval-chat.ts";

const here = import.meta.dirname;

const outputs: Record<string, string> = {
  "coding-session.jsonl": `${codingSession(join(here, "make/coding-session"))
    .map((message) => JSON.stringify(message))
    .join("\n")}\n`,
  // Lists of plain strings on one line, as the formatter of this repository wants them.
  "retrieval-chat.json": `${JSON.stringify(retrievalChat(join(here, "make/retrieval-chat")), null, 2).replace(
    /\[\s+("\w+")\s+\]/g,
    "[$1]",
  )}\n`,
};

for (const [name, text] of Object.entries(outputs)) {
  const path = join(here, name);
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) {
    console.error(`${name} is out of date: run node examples/make.ts`);
    process.exitCode = 1;
  }
}

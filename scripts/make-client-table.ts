/** Writes the table of client programs into the guide, from what `npm run test:clients` recorded. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib/project.ts";

/** The page that has the table. */
export const page = join(root, "docs/guide/clients.md");
const BEGIN = /<!-- clients:[^>]*-->\n/;
const END = "<!-- /clients -->";

/** APIs by the names that the tests have for them. */
const WIRES = {
  chat: "Chat Completions",
  responses: "Responses",
  messages: "Messages",
  gemini: "Gemini",
} as Record<string, string>;

/** The page with the table of the last runs in its place. */
export function withClientTable(text: string) {
  const runs = JSON.parse(readFileSync(join(root, "bench/results/clients.json"), "utf8")) as Record<
    string,
    { version: string; wire: string; rounds: number; compactions: number; refused: number }
  >;
  const rows = Object.entries(runs).map(
    ([name, { version, wire, rounds, compactions, refused }]) =>
      `| ${name} | ${version} | ${WIRES[wire]} | ${rounds} | ${compactions} | ${refused} |`,
  );
  const table = [
    "| program | version | API | rounds | compactions | refused requests |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
  const begin = BEGIN.exec(text);
  if (!begin) throw new Error("docs/guide/clients.md has no place for the table");
  const from = begin.index + begin[0].length;
  return `${text.slice(0, from)}\n${table}\n\n${text.slice(text.indexOf(END, from))}`;
}

if (import.meta.main) {
  writeFileSync(page, withClientTable(readFileSync(page, "utf8")));
}

import { mkdir, writeFile } from "node:fs/promises";

const FOLDER = new URL("../results/", import.meta.url);

/** Prints a result and keeps it in `bench/results/<name>.json`. */
export async function writeResult(name: string, result: Readonly<Record<string, unknown>>): Promise<void> {
  const text = `${JSON.stringify({ node: process.versions.node, ...result }, null, 2)}\n`;
  await mkdir(FOLDER, { recursive: true });
  await writeFile(new URL(`${name}.json`, FOLDER), text);
  console.log(`${name}\n${text}`);
}

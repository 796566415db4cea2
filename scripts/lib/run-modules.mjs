// @ts-check
/**
 * Imports modules one after the other and prints, as its last line, a JSON list of what went wrong: one that throws, or prints
 * something else than it is said to.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { format } from "node:util";

/** @type {{ files: { path: string, where: string, prints: string[] }[], targets: Record<string, string> }} */
const { files, targets } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));

registerHooks({
  resolve(specifier, context, next) {
    const target = targets[specifier];
    if (target !== undefined) return next(pathToFileURL(target).href, context);
    // A module in a temporary folder uses the packages of the project.
    const fromHere = !/^(\.|\/|\w+:)/.test(specifier) && !context.parentURL?.includes("/node_modules/");
    return next(specifier, fromHere ? { ...context, parentURL: import.meta.url } : context);
  },
});

/** @type {string[]} */
const faults = [];
const { log } = console;
for (const { path, where, prints } of files) {
  /** @type {string[]} */
  const printed = [];
  console.log = (...values) => void printed.push(format(...values));
  try {
    await import(pathToFileURL(path).href);
    const missing = prints.find((line) => !printed.includes(line));
    if (missing !== undefined)
      faults.push(`${where}: says that it prints "${missing}", but printed ${JSON.stringify(printed)}`);
  } catch (error) {
    faults.push(`${where}: throws ${error instanceof Error ? error.stack?.split("\n")[0] : String(error)}`);
  }
}
log(`\n${JSON.stringify(faults)}`);
process.exit();

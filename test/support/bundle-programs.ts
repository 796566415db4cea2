/**
 * Bundles the programs that tests start as processes of their own: `node bundle-programs.ts FOLDER`. A start that loads a thousand
 * modules one by one takes twice as long as the same code in a few files.
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Plugin, rolldown } from "rolldown";
import { PROGRAMS } from "./programs.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** A thread is started beside the file that starts it, which is a file of the bundle. */
const THREADS = {
  "log-thread": join(root, "src/stores/sqlite/log-thread.ts"),
  "body-thread": join(root, "src/gateway/http/body-thread.ts"),
};

/** A module finds what lies beside it, wherever the bundle is. */
const whereItWas: Plugin = {
  name: "where-it-was",
  transform(code, id) {
    if (!id.startsWith(join(root, "src")) || Object.values(THREADS).includes(id)) return undefined;
    if (!code.includes("import.meta.url")) return undefined;
    return code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href));
  },
};

/** A bundle of other sources may still be in use by a run that began before they changed (milliseconds). */
const IN_USE_MS = 3_600_000;

const folder = process.argv[2] ?? "";
const cache = dirname(folder);
mkdirSync(cache, { recursive: true });
for (const name of readdirSync(cache)) {
  const other = join(cache, name);
  if (statSync(other).mtimeMs < Date.now() - IN_USE_MS) rmSync(other, { recursive: true, force: true });
}
const unfinished = mkdtempSync(`${folder}-`);
const bundle = await rolldown({
  input: {
    ...Object.fromEntries(Object.entries(PROGRAMS).map(([name, file]) => [name, join(root, file)])),
    ...THREADS,
  },
  platform: "node",
  external: /^node:/,
  plugins: [whereItWas],
});
await bundle.write({ dir: unfinished, format: "esm" });
await bundle.close();
writeFileSync(join(unfinished, "package.json"), '{ "type": "module" }');
try {
  renameSync(unfinished, folder);
} catch {
  // Another process was faster; both have made the same.
  rmSync(unfinished, { recursive: true, force: true });
}

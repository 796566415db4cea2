import { execFileSync } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const CACHE = join(root, "node_modules/.cache/precis-programs");
/** What the programs are made of; packages by the file that names their versions. */
const SOURCES = ["src/**/*.ts", "test/{life,stores,support}/*.ts", "package-lock.json"];

/** Programs that tests start as processes of their own. */
export const PROGRAMS = {
  precis: "src/cli/main.ts",
  "fit-in-child": "test/life/fit-in-child.ts",
  "store-in-child": "test/stores/store-in-child.ts",
} as const;

let folder: string | undefined;

/** The path of a program. They are bundled anew if a source has changed since the last run. */
export function programFile(name: keyof typeof PROGRAMS): string {
  folder ??= bundledFolder();
  return join(folder, `${name}.js`);
}

function bundledFolder(): string {
  const changed = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })).map(
    (file) => statSync(join(root, file)).mtimeMs,
  );
  // A source that is taken away changes the number of them.
  const path = join(CACHE, `${Math.max(...changed)}-${changed.length}`);
  if (!existsSync(path))
    execFileSync(process.execPath, [join(root, "test/support/bundle-programs.ts"), path], {
      stdio: ["ignore", "ignore", "pipe"],
    });
  return path;
}

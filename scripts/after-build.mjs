// @ts-check
/** After `tsc`: the command line can be run, and nothing is left in `dist` of a source that is gone. */
import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { filesBelow, root } from "./lib/project.mjs";

const EXECUTABLE = 0o755;

for (const path of filesBelow(root, "dist", /\.(js|d\.ts)$/)) {
  const source = path.replace(/^dist\//, "src/").replace(/(\.d\.ts|\.js)$/, ".ts");
  if (!existsSync(join(root, source))) rmSync(join(root, path));
}

const commandLine = join(root, "dist/cli/main.js");
if (existsSync(commandLine)) chmodSync(commandLine, EXECUTABLE);

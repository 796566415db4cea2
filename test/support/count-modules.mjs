// @ts-check
/** With `--import`: the process lists at its end, as JSON in a file, which files it has loaded as modules. */
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

/** @type {string[]} */
const loaded = [];
registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) loaded.push(url);
    return next(url, context);
  },
});
process.on("exit", () =>
  writeFileSync(/** @type {string} */ (process.env["PRECIS_MODULES"]), JSON.stringify(loaded)),
);

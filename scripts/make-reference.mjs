// @ts-check
/**
 * Writes the generated pages of the reference: `/api` and `/v1` from routes and schemas, the library from its doc comments.
 * They aren't committed: `npm run docs` makes them anew.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { httpReference } from "./lib/http-reference.mjs";
import { libraryReference } from "./lib/library-reference.mjs";
import { gateway, library } from "./lib/packages.mjs";
import { root } from "./lib/project.mjs";

const folder = join(root, "docs/reference/generated");
mkdirSync(folder, { recursive: true });
const pages = {
  "http-api.md": httpReference(),
  "library.md": libraryReference(library, "Every public name of `precis`"),
  "gateway.md": libraryReference(gateway, "Every public name of `@precis/gateway`"),
};
for (const [name, text] of Object.entries(pages)) {
  const file = join(folder, name);
  if (readOr(file) !== text) writeFileSync(file, text);
}
console.log(`reference: ${Object.keys(pages).length} pages written to docs/reference/generated`);

/** @param {string} file */
function readOr(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

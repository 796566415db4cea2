// @ts-check
/** `node --import` this: `precis` and its subpaths are the sources of this clone, not what was built last. */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { library, publicSources } from "../../../scripts/lib/packages.ts";
import { root } from "../../../scripts/lib/project.ts";

const sources = new Map(publicSources(library));

registerHooks({
  resolve(specifier, context, next) {
    const source = sources.get(specifier);
    return next(source === undefined ? specifier : pathToFileURL(join(root, source)).href, context);
  },
});

import { createRequire } from "node:module";

/** The version of this package. The path is the same from `src/config` and from `dist/config`. */
export function version(): string {
  return (createRequire(import.meta.url)("../../package.json") as { version: string }).version;
}

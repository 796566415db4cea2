import { fileURLToPath } from "node:url";

/** Environment of child processes and threads: Node keeps the compiled sources there, so that only the first start of many is slow. */
export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/precis-compile", import.meta.url)),
};

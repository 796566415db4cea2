import { ConfigError } from "../../core/errors.ts";

/**
 * The runtime's own file functions. They are asked for while the program runs rather than imported, so that
 * `precis/models` can still be bundled for browsers.
 */
export function filesOf(id: string) {
  const files = globalThis.process?.getBuiltinModule?.("node:fs/promises");
  if (files !== undefined) return files;
  throw new ConfigError({
    option: "dir",
    message: `${id} needs a runtime with files, such as Node.`,
    fix: "Use a model over HTTP here.",
  });
}

export type Files = ReturnType<typeof filesOf>;

/** The code of an error of the file system, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Does work on a file that may have gone in the meantime. */
export async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

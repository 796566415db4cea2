/** The command line can't be understood: exit code 2, no stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

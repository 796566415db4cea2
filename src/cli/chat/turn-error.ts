/** A line of stdin that a chat can't carry out: exit code 1, no stack. */
export class TurnError extends Error {
  override readonly name = "TurnError";
}

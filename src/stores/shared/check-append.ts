import type { Append } from "../server-store.ts";
import { checkName } from "./check-name.ts";

/** The names that come with an append must be something that every database can hold. */
export function checkAppend({ session, messages }: Append): void {
  if (session !== undefined) checkName("append", "session", session);
  for (const { answer } of messages) if (answer !== undefined) checkName("append", "answer", answer);
}

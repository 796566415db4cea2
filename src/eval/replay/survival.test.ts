import { expect, it } from "vitest";
import type { Message } from "../../core/types.ts";
import { survivalOf } from "./survival.ts";

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const count = (text: string) => Math.ceil(text.length / 4);

it("counts what a view still names of what the conversation named", () => {
  const transcript = [
    user("Please mend src/queue/backoff.ts, and never touch src/api/generated."),
    user("The ticket is WP-2207, the box has 214 MB in ~/dumps/osby-0218.db."),
    user("And now?"),
  ];
  const whole = survivalOf(transcript, transcript, count);
  expect(whole.items).toBeGreaterThan(2);
  expect(whole.kept).toBe(whole.items);
  const last = survivalOf(transcript, transcript.slice(-1), count);
  expect(last).toMatchObject({ items: whole.items, kept: 0 });
});

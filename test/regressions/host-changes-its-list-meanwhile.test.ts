import { describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { FitResult } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat, checkView } from "../../src/testing/index.ts";
import { measure } from "../support/count.ts";
import { talk } from "../support/host.ts";

const count = (message: unknown) => measure.message(openaiChat.read(message as ChatMessage));
const CHANGES: Readonly<Record<string, (list: ChatMessage[]) => void>> = {
  "adds an answer": (list) => list.push(chat.assistant("late")),
  "takes the last message back": (list) => list.pop(),
  "empties it": (list) => list.splice(0),
  "puts a long message in place of the last one": (list) =>
    list.splice(-1, 1, chat.user("other ".repeat(5_000))),
  "puts a system prompt in front": (list) => list.unshift(chat.system("Be brief.")),
};

describe.each(Object.entries(CHANGES))("a host that %s while a call is under way", (_, change) => {
  it.each([0, 1, 2, 6])("gets a view of what it handed in (%s ticks later)", async (ticks) => {
    const compactor = createCompactor({ dialect: openaiChat, budget: 1_000 });
    for (const method of ["fit", "compact", "rebuild"] as const) {
      const given = [...talk(30), chat.user("now?")];
      const list = [...given];
      const call: Promise<FitResult<ChatMessage>> = compactor[method](list);
      for (let tick = 0; tick < ticks; tick++) await null;
      change(list);
      const result = await call;
      expect(checkView({ dialect: "openai-chat", transcript: given, result, count })).toEqual([]);
    }
  });
});

it("a host that changes the extras of a request while it is under way sends those that it handed in", async () => {
  const compactor = createCompactor({ dialect: openaiChat, budget: 1_000 });
  const transcript = [...talk(30), chat.user("now?")];
  const extras = [chat.user("Open file: a.ts")];
  const given = [...extras];
  const call = compactor.fit(transcript, { extras });
  extras.push(chat.user("x ".repeat(3_000)));
  const result = await call;
  expect(checkView({ dialect: "openai-chat", transcript, extras: given, result, count })).toEqual([]);
});

/** Overwrites every text and number in it, as far as that is possible. */
function overwrite(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const object = value as Record<string, unknown>;
  for (const [key, inner] of Object.entries(object)) {
    if (typeof inner === "object") overwrite(inner);
    else object[key] = typeof inner === "number" ? 7 : "overwritten";
  }
}

it("a host that changes a state that it was handed out changes no later one", async () => {
  const compactor = createCompactor({ dialect: openaiChat, budget: 1_000 });
  const transcript = [...talk(30), chat.user("now?")];
  const { messages, state } = await compactor.fit(transcript);
  overwrite(state);
  const later = await compactor.fit(transcript);
  expect(JSON.stringify(later.state)).not.toContain("overwritten");
  const elsewhere = createCompactor({ dialect: openaiChat, budget: 1_000 });
  const again = await elsewhere.fit(transcript, { state: later.state });
  expect(again.messages).toEqual(messages);
  expect(again.report.warnings).toEqual([]);
});

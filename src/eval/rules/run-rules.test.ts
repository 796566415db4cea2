import { expect, test } from "vitest";
import { charsCounter } from "../../tokens/index.ts";
import { arm } from "../judged/arms.ts";
import { NOISES, type Rule, rulesConversation, WAYS } from "./conversation.ts";
import { LANGUAGE_CODES } from "./phrases.ts";
import { runRules } from "./run-rules.ts";

const RULES: readonly Rule[] = [
  { text: "Never push.", way: "plain", language: "en", isMarked: true },
  { text: "Use tox.", way: "changed", language: "en", isMarked: false, change: "Use make, not tox." },
  { text: "Ask me first.", way: "revoked", language: "en", isMarked: true, change: "You needn't ask." },
];

test.each([
  [
    "all of it",
    "Never push. Use tox. Ask me first. Use make,\n not tox. You needn't ask.",
    ["kept", "kept", "kept"],
  ],
  ["nothing", "They talked about rules.", ["lost", "lost", "kept"]],
  ["a rule that no longer holds", "Never  push. Use tox. Ask me first.", ["kept", "stale", "stale"]],
  ["a change before what it changed", "Use make, not tox. Use tox.", ["lost", "stale", "kept"]],
])("a view that says %s", async (_, text, expected) => {
  const conversation = { id: "one", messages: [], rules: RULES, noise: "talk" as const };
  const fates = await runRules({
    conversations: [conversation],
    arms: [arm("fixed", "fixed", {}, async () => [{ role: "user", text }])],
    sizes: [{ type: "tokens", tokens: 100 }],
    compactions: [1, 10],
    counter: charsCounter(),
  });
  expect(fates.map(({ fate }) => fate)).toEqual(expected);
});

test("a conversation holds each of its rules, and a change after it, in each language", () => {
  for (const language of LANGUAGE_CODES)
    for (const noise of NOISES) {
      const { messages, rules } = rulesConversation(language, noise, 3);
      const at = (text: string): number => messages.findIndex(({ content }) => content.includes(text));
      expect(new Set(rules.map(({ way }) => way)).size).toBe(
        noise === "talk" ? WAYS.length - 1 : WAYS.length,
      );
      for (const { text, change, way } of rules) {
        expect(at(text), text).toBeGreaterThan(0);
        if (change !== undefined) expect(at(change), change).toBeGreaterThan(at(text));
        expect(messages[at(text)]?.role).toBe(way === "refused call" ? "tool" : "user");
      }
    }
});

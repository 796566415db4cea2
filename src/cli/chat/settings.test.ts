import { expect, test } from "vitest";
import type { SettingsAnswer } from "../../gateway/api.ts";
import { UsageError } from "../flags.ts";
import { parseSetting, settingsText } from "./commands.ts";

test.each([
  ["window", "16k", 16_000, "chat"],
  ["auto", "off", false, "chat"],
  ["startAt", "75%", 0.75, "chat"],
  ["startAt", "0.75", 0.75, "chat"],
  ["reserve", "1k", 1_000, "chat"],
  ["temperature", "0.3", 0.3, "chat"],
  ["strategy", "drop-middle", "drop-middle", "chat"],
  ["strategy", "default", null, "chat"],
  ["tools", "recall", ["recall"], "chat"],
  ["tools", "recall, compact", ["recall", "compact"], "chat"],
  ["tools", "none", [], "chat"],
  ["showMeter", "off", false, "global"],
  ["summaryCap", "50", 50, "chat"],
  ["startAt", "0,8", 0.8, "chat"],
  ["startAt", "80,5%", 0.805, "chat"],
  ["startAt", "1.0", 1, "chat"],
  ["startAt", "1,500", 1_500, "chat"],
  ["startAt", "12k", 12_000, "chat"],
  ["tail", "40%", 0.4, "chat"],
  ["temperature", "0,7", 0.7, "chat"],
  ["maxTokens", "2k", 2_000, "chat"],
  ["tailMessages", "1,000", 1_000, "chat"],
] as const)("%s %s", (name, text, value, scope) => {
  expect(parseSetting(name, text)).toEqual({ name, value, scope });
});

test.each([
  ["windw", "16k", /Did you mean window\?/],
  ["window", "16x", /^window 16x: this isn't a number of tokens\. Give .* such as 8192, 32k or 1m/],
  ["auto", "maybe", /on or off/],
  ["window", "49", /^window 49: this is too few tokens\. .* at least 100,/],
  ["temperature", "warm", /isn't a valid temperature\. Give a number from 0 to 2/],
  ["temperature", "0x1", /isn't a valid temperature/],
  [
    "startAt",
    "80",
    /Did you mean 0\.8\? Give a share above 0 and up to 1, such as 0\.8 or 80%, or at least 100/,
  ],
  ["startAt", "150%", /is neither a share nor a number of tokens/],
  ["startAt", "0%", /is neither a share/],
  ["startAt", "33,5,2", /is neither a share/],
  ["startAt", "1234,5", /is neither a share/],
  ["startAt", "eighty", /is neither a share/],
  ["landAt", "-5%", /is neither a share/],
  ["tail", "40", /isn't a valid share\. Did you mean 0\.4\?/],
  ["tail", "12k", /isn't a valid share/],
  ["window", "32,5", /isn't a number of tokens/],
  ["tailMessages", "2,5", /isn't a number of messages\. Give a whole number from 1\./],
  ["triggerTurns", "-1", /Give a whole number/],
])("%s %s is refused", (name, text, message) => {
  expect(() => parseSetting(name, text)).toThrow(UsageError);
  expect(() => parseSetting(name, text)).toThrow(message);
});

test("the list says where a value comes from", () => {
  const answer = {
    settings: { temperature: 0.2 },
    given: {
      upstreams: {},
      config: { startAt: 0.7 },
      profiles: { agent: { summaryCap: 6_000 } },
      builtIn: { profile: "agent", strategy: "summarize-oldest", auto: true, placement: "user" },
    },
    profiles: ["agent"],
    strategies: [{ name: "summarize-oldest", label: "Summarise oldest", help: "" }],
  } as unknown as SettingsAnswer;
  const text = settingsText({ window: 16_000 }, answer, 100);
  expect(text).toMatch(/window +16000 \(this chat\) +The model's context size/);
  expect(text).toMatch(/temperature +0\.2 \(all chats\)/);
  expect(text).toMatch(/startAt +0\.7 \(config\)/);
  expect(text).toMatch(/summaryCap +6000 \(profile\)/);
  expect(text).toMatch(
    /strategy +summarize-oldest +What happens to older messages when the view is\n +nearly full\. Now: Summarise oldest\./,
  );
  const wide = text.split("\n").filter((line) => /^ {2}\S/.test(line));
  for (const line of wide) expect(line.search(/(?<=^ {2}\S+ +)\S/)).toBe("  summaryTemperature  ".length);
  for (const line of settingsText({}, answer, 40).split("\n")) expect(line.length).toBeLessThanOrEqual(40);
});

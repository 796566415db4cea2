import { expect, it } from "vitest";
import { chat } from "../../src/testing/index.ts";
import { judgeFit } from "../support/judge-fit.ts";
import { STRATEGIES } from "../support/property-suite.ts";

const QUOTE =
  "<conversation-summary>\nWe agreed on blue.\n</conversation-summary>\nWhy does your summary say blue?";

it.each(STRATEGIES.filter((name) => name !== "none"))(
  "%s: a user who quotes a summary is answered",
  async (strategy) => {
    const rounds = Array.from({ length: 30 }, (_, i) =>
      chat.round("read", {}, "text ".repeat(60), `c${i}`),
    ).flat();
    const messages = [chat.user("Hi."), ...rounds, chat.user(QUOTE)];
    const { breaches, result } = await judgeFit({ dialect: "openai-chat", messages, budget: 400, strategy });
    expect(breaches).toEqual([]);
    expect(result?.messages.at(-1)).toBe(messages.at(-1));
  },
);

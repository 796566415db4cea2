/**
 * precis beside other ways to keep a conversation short, on the same sessions and budgets. Each is used as its own
 * documentation recommends, with the same exact tokenizer: `npm ci` here, then `npm run bench side-by-side`.
 */
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from "@langchain/core/messages";
import { pruneMessages } from "ai";
import { clearMergeCache, countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { aiSdk, openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { toWire } from "../../src/testing/arbitraries/index.ts";
import { judgeWire, lastUserIndex, wireFacts } from "../../src/testing/index.ts";
import { hasSessions, readSessions, sessionFiles, sessionWire } from "../../test/support/sessions.ts";
import { makeTranscript } from "../support/make-transcript.ts";
import { median, round } from "../support/statistics.ts";
import { writeResult } from "../support/write-result.ts";

const SHARES = [0.1, 0.25, 0.5];
/** Every n-th recorded file, and none above this size: some contestants are quadratic. */
const STRIDE = 12;
const MOST_MESSAGES = 400;
const SYNTHETIC_ROUNDS = [20, 60, 100];

const plain = (text) => countTokens(text, { disallowedSpecial: new Set() });
const tokensOf = (dialect, messages) =>
  messages.reduce(
    (sum, message) => sum + wireFacts(dialect, message).texts.reduce((all, text) => all + plain(text), 0),
    0,
  );

/** Chat Completions → LangChain and back. */
const toLangChain = (message) => {
  const content = typeof message.content === "string" ? message.content : "";
  if (message.role === "system") return new SystemMessage(content);
  if (message.role === "tool") return new ToolMessage({ content, tool_call_id: message.tool_call_id });
  if (message.role === "user") return new HumanMessage(content);
  const tool_calls = (message.tool_calls ?? []).map((call) => ({
    id: call.id,
    name: call.function.name,
    args: parse(call.function.arguments),
  }));
  return new AIMessage({ content, tool_calls });
};
const fromLangChain = (message) => {
  const content = typeof message.content === "string" ? message.content : "";
  const type = message.getType();
  if (type === "tool") return { role: "tool", tool_call_id: message.tool_call_id, content };
  if (type !== "ai") return { role: type === "human" ? "user" : "system", content };
  const tool_calls = message.tool_calls.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }));
  return { role: "assistant", content, ...(tool_calls.length > 0 && { tool_calls }) };
};
const parse = (json) => {
  try {
    return JSON.parse(json);
  } catch {
    return { text: json };
  }
};

/** Each makes a view of a session within a budget, and says how it would be called again for the next message. */
const CONTESTANTS = {
  "precis fit": (session, budget) => {
    const compactor = createCompactor({ dialect: openaiChat, budget });
    return {
      dialect: "openai-chat",
      messages: session.chat,
      view: async (messages) => (await compactor.fit(messages)).messages,
    };
  },
  "precis fit (ai-sdk)": (session, budget) => {
    const compactor = createCompactor({ dialect: aiSdk, budget });
    return {
      dialect: "ai-sdk",
      messages: session.aiSdk,
      view: async (messages) => (await compactor.fit(messages)).messages,
    };
  },
  "langchain trimMessages": (session, budget) => ({
    dialect: "openai-chat",
    messages: session.chat,
    view: async (messages) => {
      const trimmed = await trimMessages(messages.map(toLangChain), {
        maxTokens: budget,
        strategy: "last",
        startOn: "human",
        endOn: ["human", "tool"],
        includeSystem: true,
        tokenCounter: (list) => tokensOf("openai-chat", list.map(fromLangChain)),
      });
      return trimmed.map(fromLangChain);
    },
  }),
  "ai pruneMessages": (session, budget) => ({
    dialect: "ai-sdk",
    messages: session.aiSdk,
    view: async (messages) => {
      let view = messages;
      for (
        let keep = messages.length;
        keep >= 2 && tokensOf("ai-sdk", view) > budget;
        keep = Math.floor(keep / 2)
      )
        view = pruneMessages({
          messages,
          reasoning: "all",
          toolCalls: `before-last-${keep}-messages`,
          emptyMessages: "remove",
        });
      return view;
    },
  }),
};

function sessions() {
  const synthetic = SYNTHETIC_ROUNDS.map((rounds) => ({
    name: `synthetic ${rounds}`,
    core: makeTranscript(rounds).map((message) => openaiChat.read(message)),
  }));
  const recorded = hasSessions
    ? sessionFiles()
        .filter((_, at) => at % STRIDE === 0)
        .flatMap((file) => readSessions(file).map(({ name, messages }) => ({ name, core: messages })))
    : [];
  return [...synthetic, ...recorded]
    .filter(({ core }) => core.length <= MOST_MESSAGES)
    .map(({ name, core }) => ({
      name,
      chat: sessionWire("openai-chat", { name, messages: core }).messages,
      aiSdk: toWire("ai-sdk", core).messages,
    }));
}

const all = sessions();
const result = {};
for (const [name, contestant] of Object.entries(CONTESTANTS)) {
  const tally = {
    cases: 0,
    refused: 0,
    fits: 0,
    valid: 0,
    keepsLastUserMessage: 0,
    used: [],
    firstMs: [],
    nextMs: [],
  };
  for (const session of all) {
    for (const share of SHARES) {
      const total = tokensOf("openai-chat", session.chat);
      // precis counts roles and separators too; the others get the same number without them.
      const budget = Math.round(total * share);
      const { dialect, messages, view } = contestant(session, budget);
      const faults = new Set(judgeWire(dialect, messages).faults.map((fault) => `${fault.kind} ${fault.id}`));
      tally.cases++;
      clearMergeCache();
      let shown;
      const start = performance.now();
      try {
        shown = await view(messages);
      } catch {
        tally.refused++;
        continue;
      }
      tally.firstMs.push(performance.now() - start);
      const again = performance.now();
      await view([...messages, { role: "user", content: "Go on." }]).catch(() => undefined);
      tally.nextMs.push(performance.now() - again);
      const used = tokensOf(dialect, shown);
      if (used <= budget) tally.fits++;
      tally.used.push(used / budget);
      if (judgeWire(dialect, shown).faults.every((fault) => faults.has(`${fault.kind} ${fault.id}`)))
        tally.valid++;
      const last = messages[lastUserIndex(dialect, messages)];
      const words = last === undefined ? [] : wireFacts(dialect, last).words;
      const sent = shown.flatMap((message) => wireFacts(dialect, message).words);
      if (words.every((text) => sent.includes(text))) tally.keepsLastUserMessage++;
    }
  }
  const shareOf = (count) => round(count / tally.cases);
  result[name] = {
    cases: tally.cases,
    refused: tally.refused,
    fits: shareOf(tally.fits),
    valid: shareOf(tally.valid),
    keepsLastUserMessage: shareOf(tally.keepsLastUserMessage),
    budgetUsed: round(median(tally.used)),
    firstMs: round(median(tally.firstMs), 1),
    nextTurnMs: round(median(tally.nextMs), 2),
  };
}
writeResult({ sessions: all.length, shares: SHARES, contestants: result });

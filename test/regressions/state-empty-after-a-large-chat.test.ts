import { describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { CompactorOptions, FitResult, Sized, State } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";
import { chat } from "../../src/testing/index.ts";
import { gatedModel } from "../summaries/gated-model.ts";
import { sent } from "../support/host.ts";
import { byProof } from "../support/proof.ts";

const NOW = 1_700_000_000_000;
const LIMIT = 64 * 1024;
const SHARE = 0.02;
/** After so many, older checkpoints that nothing uses have left. */
const COMPACTIONS = byProof({ sample: 4, more: 10, all: 10 });
/** A window that is full, and a longest chat: both as large as they get, but for the sample. */
const { window, turns } = byProof({
  sample: { window: 40_000, turns: 75 },
  more: { window: 128_000, turns: 240 },
  all: { window: 128_000, turns: 240 },
});
const LONGEST = byProof({ sample: 2_000, more: 20_000, all: 20_000 });
const WORDS =
  "alpha beta gamma delta engine module parser token cursor window budget render index shard replica commit branch merge deploy metric".split(
    " ",
  );

/** Lines of words that hardly ever come twice. */
function prose(words: number, seed: number): string {
  let state = seed * 7919 + 17;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  const line = () => Array.from({ length: 12 }, () => WORDS[next() % WORDS.length]).join(" ");
  return Array.from({ length: Math.ceil(words / 12) }, () => `${line()}.`).join("\n");
}

function longChat(turns: number, words: number): ChatMessage[] {
  return [
    chat.system("You are a careful assistant."),
    ...Array.from({ length: turns }, (_, n) => [
      chat.user(`Question ${n}: please handle item K-${1_000 + n}. ${prose(words, n * 2)}`),
      chat.assistant(
        `Answer ${n}: item K-${1_000 + n} lives in src/mod${n}/file${n}.ts. ${prose(words, n * 2 + 1)}`,
      ),
    ]).flat(),
    chat.user("Go on."),
  ];
}

/** A server that keeps nothing but the state between two requests. */
async function stateless(
  options: Partial<CompactorOptions<ChatMessage>> & Sized,
  transcript: readonly ChatMessage[],
  state?: State,
  turn = 0,
): Promise<{ readonly result: FitResult<ChatMessage>; readonly state: State }> {
  const compactor = createCompactor<ChatMessage>({ dialect: openaiChat, ...options });
  const now = NOW + turn * 1_000;
  const result = await compactor.fit(transcript, {
    now,
    lastRequestAt: now,
    ...(state && { state: JSON.parse(JSON.stringify(state)) as unknown }),
  });
  const newer = await result.background;
  await compactor.close();
  return { result, state: newer };
}

describe.each(["agent", "editor"] as const)(`%s, a window of ${window} that is full`, (profile) => {
  it("its state holds the compaction: later turns compact nothing, pay nothing and send the same", async () => {
    const summarizer = gatedModel({ window: 2_000_000 });
    const options = { window, profile: profiles[profile], summarizer };
    const transcript = longChat(turns, 260);
    let { result, state } = await stateless(options, transcript);
    expect(result.report.outcome).toBe("compacted");
    expect(state.checkpoints).toHaveLength(1);
    expect(JSON.stringify(state).length).toBeLessThan(LIMIT);
    const { length: calls } = summarizer.requests;
    const next = async (turn: number) => {
      transcript.push(chat.assistant(`Done ${turn}.`), chat.user(`Next ${turn}.`));
      ({ result, state } = await stateless(options, transcript, state, turn));
    };
    // What the full budget could not wait for is asked for once, kept, and takes the place of code's lines at the next turn.
    await next(1);
    expect(result.report.outcome).toBe("compacted");
    expect(JSON.stringify(result.messages)).toContain("explained each of them in turn");
    const first = JSON.stringify(result.messages);
    for (let turn = 2; turn <= 5; turn++) {
      await next(turn);
      expect(result.report.outcome).toBe("view");
      expect(result.report.prefixChanged).toBe(false);
      expect(result.report.warnings.filter(({ code }) => code.startsWith("state"))).toEqual([]);
      expect(JSON.stringify(result.messages).startsWith(first.slice(0, -1))).toBe(true);
      expect(summarizer.requests.length).toBe(calls);
    }
  });
});

it(`a transcript of ${LONGEST} messages of 50 tokens has a state that is whole, and small`, async () => {
  const transcript = longChat(LONGEST / 2, 24);
  const options = {
    window: LONGEST * 50,
    profile: profiles.agent,
    counter: { id: "chars/4", count: (text: string) => Math.ceil(text.length / 4) },
  };
  const characters = transcript.reduce((sum, { content }) => sum + String(content).length, 0);
  expect(characters / 4).toBeGreaterThan(LONGEST * 45);
  const { result, state } = await stateless(options, transcript);
  expect(result.report.outcome).toBe("compacted");
  expect(state.checkpoints).toHaveLength(1);
  expect(JSON.stringify(state).length).toBeLessThan(Math.max(LIMIT, characters * SHARE));
  const again = await stateless(options, transcript, state, 1);
  expect(again.result.report.outcome).toBe("view");
  expect(sent(again.result)).toBe(sent(result));
});

it("above its limit, what nothing uses leaves first: the newest checkpoint and its summaries stay", async () => {
  const summarizer = gatedModel();
  const options = { budget: 30_000, summarizer };
  const transcript = longChat(10, 260);
  let state: State | undefined;
  let compactions = 0;
  for (let turn = 0; compactions < COMPACTIONS && turn < 400; turn++) {
    const fitted = await stateless(options, transcript, state, turn);
    state = fitted.state;
    if (fitted.result.report.outcome === "compacted") {
      compactions++;
      expect(state.checkpoints.at(-1)?.id).toBe(fitted.result.report.checkpoint);
    }
    const size = JSON.stringify(state).length;
    const characters = transcript.reduce((sum, { content }) => sum + String(content).length, 0);
    expect(size).toBeLessThan(Math.max(LIMIT, characters * SHARE));
    transcript.push(
      chat.assistant(`Answer ${turn}: it is in src/late${turn}.ts. ${prose(900, 10_000 + turn)}`),
      chat.user(`Question ${turn} about item L-${turn}.`),
    );
  }
  expect(compactions).toBe(COMPACTIONS);
});

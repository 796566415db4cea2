import { expect, it, test } from "vitest";
import { type ChatMessage, openaiChat } from "../../apis/index.ts";
import type { State, StateCheckpoint } from "../../core/types.ts";
import { memoryStore } from "../../stores/memory.ts";
import { chat } from "../../testing/index.ts";
import { createCompactor } from "../create-compactor.ts";

const options = { dialect: openaiChat, budget: 2_000 };
const transcript: ChatMessage[] = Array.from({ length: 120 }, (_, at) =>
  at % 2 === 0
    ? chat.user(`Please write chapter ${at} of the long report about rivers.`)
    : chat.assistant(`Chapter ${at} tells of river number ${at * 7}, its towns, its bridges and its floods.`),
);
const copyOf = (state: State): State => JSON.parse(JSON.stringify(state)) as State;
const made = async () => copyOf((await createCompactor(options).fit(transcript)).state);
type Loose = { -readonly [name in keyof StateCheckpoint]: unknown } & { entries: unknown[] };

/** Reads states again and again, and has no other memory of what they hold. */
async function reader(state: State) {
  const compactor = createCompactor(options);
  const usable = async (given: State) => {
    const { report } = await compactor.fit(transcript, { state: given });
    const isDamaged = report.warnings.some(({ code }) => code === "state-damaged");
    expect(report.cacheHits.checkpoint).toBe(!isDamaged);
    return !isDamaged;
  };
  expect(await usable(state)).toBe(true);
  expect(await usable(copyOf(state))).toBe(true);
  return usable;
}

const forgeries: Readonly<Record<string, (checkpoint: Loose, texts: Record<string, string>) => void>> = {
  "a text": (_, texts) => {
    const [hash] = Object.keys(texts);
    texts[hash!] = `${texts[hash!]!.slice(0, -1)}#`;
  },
  "a text less": (_, texts) => void delete texts[Object.keys(texts)[0]!],
  "a fact": (checkpoint) => {
    checkpoint.at = (checkpoint.at as number) + 1;
  },
  "a fact inside": (checkpoint) => {
    (checkpoint.seen as { messages: number }).messages++;
  },
  "an entry less": ({ entries }) => void entries.pop(),
  "a fact more": (checkpoint) => void Object.assign(checkpoint, { more: 1 }),
};
/** Forges the first checkpoint. */
const forgeIn = ({ checkpoints, texts }: State, forge: (typeof forgeries)[string]) =>
  forge(checkpoints[0] as unknown as Loose, texts as Record<string, string>);

test.each(Object.entries(forgeries))(
  "a state that was read before is refused once it differs in %s, in a copy and in the same object",
  async (_name, forge) => {
    const state = await made();
    const usable = await reader(state);
    const forged = copyOf(state);
    forgeIn(forged, forge);
    expect(await usable(forged)).toBe(false);
    const fresh = copyOf(state);
    const again = await reader(fresh);
    forgeIn(fresh, forge);
    expect(await again(fresh)).toBe(false);
    expect(await again(copyOf(state))).toBe(true);
  },
);

it("what a host changes in a state that it was handed doesn't change what is known", async () => {
  const compactor = createCompactor(options);
  const { state, report } = await compactor.fit(transcript);
  const genuine = copyOf(state);
  for (const forge of Object.values(forgeries)) forgeIn(state, forge);
  const next = await compactor.fit(transcript, { state: genuine });
  expect(next.report.checkpoint).toBe(report.checkpoint);
  expect(next.report.entries).toEqual(report.entries);
});

it("a checkpoint that is changed in the host's store is refused, though the same object was genuine before", async () => {
  const store = memoryStore();
  const compactor = createCompactor({ ...options, store });
  const { checkpoint } = (await compactor.fit(transcript)).report;
  const before = await compactor.fit(transcript);
  expect(before.report.checkpoint).toBe(checkpoint);
  expect(before.report.outcome).toBe("view");
  const [stored] = (await store.find([...hashesOf(before.state)])).checkpoints;
  Object.assign(stored!.seen, { messages: stored!.seen.messages + 1 });
  expect((await compactor.fit(transcript)).report.cacheHits.checkpoint).toBe(false);
});

/** The store looks a record up by the place that its length says. */
function hashesOf({ checkpoints }: State): string[] {
  const [{ hash, length }] = checkpoints as readonly [StateCheckpoint];
  return Array.from({ length }, (_, at) => (at === length - 1 ? hash : ""));
}

import { findCheckpoint, restoreDraft } from "../../core/checkpoint.ts";
import { entriesOf } from "../../core/draft.ts";
import { createTextHash } from "../../core/hash.ts";
import type { Checkpoint, Entry, Records, Summary } from "../../core/types.ts";
import type { Divider } from "../api.ts";
import type { Gateway } from "../gateway.ts";
import { isCountingLong } from "./count-ahead.ts";
import type { Loaded } from "./loaded.ts";
import { summaryToApi } from "./to-api.ts";
import { fitInput } from "./view-of.ts";

/** What became of a conversation's messages so far: not what would be done next. */
export interface Standing {
  /** Empty where everything is shown as it is. */
  readonly entries: readonly Entry[];
  readonly dividers: readonly Divider[];
}

/** Conversations whose standing is remembered. */
const MAX_KNOWN = 50;
/** Records that another process has written are seen after this long at the latest (milliseconds). */
const MAX_AGE_MS = { shared: 2_000, alone: 60_000 };

const textHash = createTextHash();

export type Standings = (gateway: Gateway, tenant: string, loaded: Loaded) => Promise<Standing>;

/** Remembers where conversations stand, so that turning pages of a long one costs nothing. */
export function createStandings(): Standings {
  const known = new Map<string, { readonly key: string; readonly at: number; readonly standing: Standing }>();
  return async (gateway, tenant, loaded) => {
    const { conversation, stored, meta, settings, model, head } = loaded;
    const isGuess = isCountingLong(loaded);
    const version = gateway.records.version(tenant);
    const key = JSON.stringify([stored.length, version, settings, meta.pins, model, head, isGuess]);
    const name = `${tenant} ${conversation.id}`;
    const found = known.get(name);
    const isShared = gateway.store.kind === "postgres" || gateway.config.workers > 1;
    const maxAge = MAX_AGE_MS[isShared ? "shared" : "alone"];
    if (found?.key === key && gateway.now() - found.at <= maxAge) return found.standing;
    const standing = await look(gateway, tenant, loaded, isGuess);
    known.delete(name);
    known.set(name, { key, at: gateway.now(), standing });
    for (const oldest of known.keys()) {
      if (known.size <= MAX_KNOWN) break;
      known.delete(oldest);
    }
    return standing;
  };
}

async function look(gateway: Gateway, tenant: string, loaded: Loaded, isGuess: boolean): Promise<Standing> {
  const { stored, messages, lead } = loaded;
  const records = await gateway.records.of(tenant).find(stored.map(({ hash }) => hash));
  const checkpoint = isGuess
    ? newestCheckpoint(gateway, loaded, records)
    : await checkpointOfView(gateway, loaded, records);
  const draft = checkpoint && restoreDraft(checkpoint, messages, lead.length);
  const isSeen = (index: number) => {
    const fate = draft?.fates[index + lead.length];
    return fate?.type !== "cover" && fate?.type !== "drop";
  };
  // A view that hides a pinned message isn't used any more.
  const stands = draft && (loaded.meta.pins ?? []).every(isSeen);
  return { entries: stands ? entriesOf(draft) : [], dividers: dividersOf(records) };
}

/** The engine's own word on it, for which it counts the whole transcript. */
async function checkpointOfView(
  gateway: Gateway,
  loaded: Loaded,
  { checkpoints }: Records,
): Promise<Checkpoint | undefined> {
  try {
    const compactor = gateway.compactors.of(loaded.choice);
    const { checkpoint } = await compactor.pressure(loaded.transcript, fitInput(loaded));
    return checkpoints.find(({ id }) => id === checkpoint);
  } catch {
    // Settings that can't work are told where they are needed; the messages are shown all the same.
    return undefined;
  }
}

/** Before a long transcript has been counted: the newest one, which it nearly always is. */
function newestCheckpoint(
  gateway: Gateway,
  { stored, dialect, choice }: Loaded,
  { checkpoints, undos }: Records,
): Checkpoint | undefined {
  return findCheckpoint({
    checkpoints,
    undos,
    chain: ["", ...stored.map(({ hash }) => hash)],
    dialect: dialect.id,
    strategy: gateway.compactors.strategyOf(choice),
    textHash,
  });
}

function dividersOf({ checkpoints, summaries, undos }: Records): Divider[] {
  const undone = new Set(undos.map(({ checkpoint }) => checkpoint));
  return checkpoints
    .filter(({ id }) => !undone.has(id))
    .sort((a, b) => a.at - b.at)
    .map((checkpoint): Divider => {
      const covers = checkpoint.entries.flatMap((entry) =>
        entry.type === "cover" ? [{ from: entry.from, to: entry.to }] : [],
      );
      const texts = checkpoint.entries.flatMap((entry) =>
        entry.type === "insert" ? [checkpoint.texts[entry.text] ?? ""] : [],
      );
      return {
        after: checkpoint.length - 1,
        checkpoint: checkpoint.id,
        at: checkpoint.at,
        text: texts.join("\n\n"),
        covers,
        tokens: checkpoint.tokens,
        summaries: usedIn(summaries, texts.join("\n")).map(summaryToApi),
      };
    });
}

/** The summaries whose words stand in a text. */
function usedIn(summaries: readonly Summary[], text: string): Summary[] {
  return summaries
    .filter((summary) => text.includes(summary.text.trim().split("\n")[0]?.trim() ?? summary.text))
    .sort((a, b) => a.covers.from - b.covers.from);
}

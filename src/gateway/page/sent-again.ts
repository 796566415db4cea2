import { createHash } from "node:crypto";
import { isJson, type Json } from "../../apis/shared/fields.ts";
import { entriesOf, keepAll, renderView } from "../../core/draft.ts";
import { parseExact, stringifyDeep } from "../../core/json.ts";
import { readHead } from "../../recall/conversation-index.ts";
import type { RequestTexts } from "../../stores/server-store.ts";
import type { SentAgain } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { type Loaded, type LoadParts, load } from "../conversation/loaded.ts";
import { detailsOf, draftsThen } from "../conversation/timeline.ts";
import { fitInput } from "../conversation/view-of.ts";
import { checksumOf } from "../requests/running-request.ts";
import { withHiddenRounds } from "../wires/gateway-tools.ts";

type SentParts = LoadParts & Pick<CompactionParts, "compactors" | "windows">;

/** The request of a row, worked out again from what is stored: the very bytes, or what they may differ in. */
export async function sentAgain(parts: SentParts, tenant: string, row: RequestTexts): Promise<SentAgain> {
  const { conversation, message, fields, checksum } = row;
  const isKept = conversation !== undefined && message !== undefined && fields !== undefined;
  if (!isKept || checksum === undefined)
    return {
      isExact: false,
      changed: [],
      why: "Its messages aren't stored, or its conversation was deleted.",
    };
  const loaded = await loadedThen(parts, tenant, { conversation, message, head: row.head });
  const changed = await changedSince(parts, loaded, row.details);
  const drafts =
    row.checkpoint === undefined
      ? [keepAll(loaded.messages.length)]
      : await draftsThen(parts, tenant, loaded, row);
  if (drafts.length === 0) {
    const why = "The record of the compaction that it stood on isn't kept any more.";
    return { isExact: false, changed, why };
  }
  const { dialect, transcript, system, wire } = loaded;
  const { hosting } = wire;
  const given = parseExact(fields) as Json;
  const bodies = drafts.flatMap((draft) => {
    const view = renderView({ dialect, transcript, entries: entriesOf(draft), system });
    const hidden = hosting && { ...view, messages: withHiddenRounds(dialect, hosting, view.messages) };
    return [wire.write(given, view), ...(hidden ? [wire.write(given, hidden)] : [])];
  });
  for (const body of bodies) {
    const bytes = Buffer.from(stringifyDeep(body));
    if (checksumOf(bytes) === checksum)
      return { isExact: true, body, changed, sha256: createHash("sha256").update(bytes).digest("hex") };
  }
  const { api: other } = detailsOf(row);
  return {
    isExact: false,
    body: bodies[0],
    changed,
    why:
      other !== undefined
        ? `It was written for another API (${other}), which isn't done again here.`
        : parts.config.redact
          ? "Secrets in it are stored as [secret]."
          : "Its text was written otherwise (spaces, the order of fields), or messages are stored otherwise than they came.",
  };
}

/** The conversation up to the request's last message, whatever branch it is on. */
async function loadedThen(
  parts: SentParts,
  tenant: string,
  { conversation, message, head }: { conversation: string; message: string; head: string | undefined },
): Promise<Loaded> {
  const now = await load(parts, tenant, conversation, 0);
  const stored = await parts.store.conversations.read(tenant, conversation, { leaf: message });
  const { dialect } = now;
  const wires = stored.map(({ wire }) => parseExact(wire));
  const { system, lead } = readHead(dialect, head);
  const transcript = [...lead, ...wires];
  const messages = transcript.map((one) => dialect.read(one));
  return { ...now, stored, head, lead, system, transcript, messages };
}

/** Settings of then that are others by now: what would be sent today may be another view. */
async function changedSince(
  { compactors }: Pick<SentParts, "compactors">,
  loaded: Loaded,
  details: unknown,
): Promise<SentAgain["changed"]> {
  const { settings: then = {} } = detailsOf({ details });
  const { profile, strategy, summarizer, tuning } = loaded.choice;
  const { budget } = await compactors.of(loaded.choice).pressure(loaded.transcript, fitInput(loaded));
  const now: Json = {
    budget: budget.budget,
    window: budget.window,
    profile: profile?.name,
    strategy,
    summarizer,
    pins: loaded.pins.length > 0 ? loaded.pins : undefined,
    tuning: tuning && Object.keys(tuning).length > 0 ? tuning : undefined,
  };
  return Object.keys(now).flatMap((name) => {
    const was = isJson(then[name]) && Object.keys(then[name]).length === 0 ? undefined : then[name];
    // What nobody decided then was left to the rest.
    const isSame = stringifyDeep([was]) === stringifyDeep([now[name]]);
    const isUnknown = was === undefined && (name === "budget" || name === "window");
    return isSame || isUnknown ? [] : [{ name, was, now: now[name] }];
  });
}

import { EDIT_REASONS } from "../core/edits.ts";
import { parseExact } from "../core/json.ts";
import type { Checkpoint, Entry } from "../core/types.ts";
import {
  DROP_WORDS,
  FATE_WORDS,
  type FateName,
  REASON_WORDS,
  RUNG_WORDS,
  STRATEGY_WORDS,
} from "../core/words.ts";
import { metaOf } from "../gateway/conversation/chat-settings.ts";
import type { Conversation } from "../stores/server-store.ts";
import { netWords, receiptWords } from "../tokens/receipt-words.ts";
import { cut, formatCount, formatTime, previewOf } from "./format.ts";
import {
  type Branch,
  branchesOf,
  branchLines,
  findBranch,
  type Inspection,
  inspectConversation,
  splitBranch,
} from "./inspect/inspection.ts";
import { type Look, type Tone, wrap } from "./io.ts";
import { DEFAULT_TENANT, findByName, shortId, shortName, withDatabase } from "./open-database.ts";
import { FileError } from "./read-lines.ts";
import type { RunOf } from "./run.ts";

export async function inspect(run: RunOf<"inspect">): Promise<void> {
  const { options, look } = run;
  const [session] = run.args;
  const { tenant = DEFAULT_TENANT, json } = options;
  await withDatabase(run, { create: false }, async (store, database) => {
    if (session === undefined) {
      const { conversations } = await store.conversations.list(tenant, { limit: 20, archived: "all" });
      const bySession = Map.groupBy(conversations, ({ session, id }) => session ?? id);
      const groups = await Promise.all(
        [...bySession.values()].map((group) => branchesOf(store.conversations, tenant, group)),
      );
      const listed: Conversation[] = [];
      // What is stored with them is a rough count.
      for (const one of json ? conversations : [])
        listed.push({ ...one, tokens: (await inspectConversation(store, tenant, one)).tokens.transcript });
      run.print(listed, () => conversationsText(groups, look));
      return;
    }
    const { conversations } = store;
    let conversation = await findByName(conversations, tenant, session);
    let branch: string | undefined;
    if (!conversation) {
      const named = splitBranch(session);
      conversation = await findByName(conversations, tenant, named.conversation);
      if (conversation && named.branch !== undefined)
        branch = await findBranch(conversations, tenant, conversation.id, named.branch);
      if (!conversation || branch === undefined)
        throw new FileError(
          `tenant ${tenant} has no session or conversation ${session} in ${database}. precis inspect lists the newest.`,
        );
    }
    const inspection = await inspectConversation(store, tenant, conversation, branch);
    const { messages, view, branches, tokens, ...rest } = inspection;
    const value = {
      ...rest,
      conversation: { ...conversation, tokens: tokens.transcript },
      branches: branches.map(({ conversation: { id, updatedAt }, from, hash, length, words }) => ({
        id,
        branch: hash,
        length,
        updatedAt,
        from,
        words,
      })),
      tokens: { transcript: tokens.transcript, view: tokens.view, system: tokens.system },
      transcript: messages.map(({ wire, ...message }, index) => ({
        ...message,
        tokens: tokens.messages[index + view.lead] ?? 0,
        message: parseExact(wire),
      })),
      view: { checkpoint: view.checkpoint?.id, entries: view.entries, messages: view.messages },
    };
    run.print(value, () => inspectionText(inspection, look));
  });
}

/** Further lines of a checkpoint are indented. */
const CHECKPOINT_HANG = 4;

/** What became of a message, and why. */
interface Fate {
  readonly what: string;
  readonly tone: Tone;
}

const fateOf = (name: FateName, why: string, tone: Tone): Fate => ({
  what: why === "" ? FATE_WORDS[name] : `${FATE_WORDS[name]}: ${why}`,
  tone,
});

const KEPT = fateOf("kept", "", "good");
const SUMMARISED = fateOf("covered", "", "dim");

const messageCount = (n: number): string => `${formatCount(n)} ${n === 1 ? "message" : "messages"}`;

const sizeOf = (messages: number, tokens: number): string =>
  `${messageCount(messages)}, ${formatCount(tokens)} tokens`;

/** The conversation for people: what it is, its checkpoints, and each message with what became of it. */
function inspectionText(inspection: Inspection, look: Look): string {
  const { conversation, records, view, tokens, citations, receipts, deferred, advice } = inspection;
  const { paint } = look;
  const undone = new Set(records.undos.map((undo) => undo.checkpoint));
  const lines = [
    paint("strong", conversation.title === "" ? "(no title)" : conversation.title),
    ...wrap(factsOf(conversation, view.transcript.length), look.columns),
    "",
    ...branchesText(inspection, look),
    paint("strong", "Checkpoints"),
    ...(records.checkpoints.length === 0
      ? ["  none: the view is the transcript"]
      : records.checkpoints
          .toSorted((a, b) => a.at - b.at)
          .flatMap((one) =>
            [
              `  ${checkpointLine(one, one.id === view.checkpoint?.id, undone.has(one.id))}`,
              ...receipts.compactions
                .filter(({ checkpoint }) => checkpoint === one.id)
                .flatMap((receipt) => receiptWords(receipt).map((line) => `    ${line}`)),
            ].flatMap((line) => wrap(line, look.columns, CHECKPOINT_HANG)),
          )),
    ...(receipts.spend === 0 ? [] : wrap(netWords(receipts), look.columns)),
    ...(deferred
      ? [
          `Tools not declared in the newest request: ${formatCount(deferred.tools)}, saving ${formatCount(deferred.tokens)} tokens.`,
        ]
      : []),
    ...advice.flatMap((sentence) => wrap(sentence, look.columns)),
    "",
    paint("strong", "Transcript and view"),
    ...messageLines(inspection, look),
    "",
    `The transcript: ${sizeOf(view.transcript.length, tokens.transcript)}. The view: ${sizeOf(view.messages.length, tokens.view)}.`,
  ];
  const inserts = view.entries.filter((entry) => entry.type === "insert");
  for (const { message } of inserts) lines.push("", paint("strong", "Summary message"), message.text);
  if (citations.length > 0)
    lines.push(
      "",
      paint("strong", "Citations"),
      ...citations.map((one) => `  [${one.number}] ${one.source}`),
    );
  return `${lines.join("\n")}\n`;
}

/** One line for each conversation; those that share a session stand together as trees, by their own ids. */
function conversationsText(groups: readonly (readonly Branch[])[], { columns }: Look): string {
  if (groups.length === 0) return "There are no conversations yet.\n";
  return groups
    .flatMap((branches) => {
      const [{ conversation: one, length }] = branches as [Branch];
      const name = shortName(one);
      const newest = Math.max(...branches.map(({ conversation }) => conversation.updatedAt));
      const size =
        branches.length === 1
          ? `${formatCount(length).padStart(6)} ${length === 1 ? "message " : "messages"}`
          : `${formatCount(branches.length).padStart(6)} branches`;
      const line = cut(`${name}  ${formatTime(newest)}  ${size}  ${one.title}`, columns);
      return branches.length === 1 ? [line] : [line, ...branchLines(branches, columns)];
    })
    .join("\n")
    .concat("\n");
}

/** Which conversation of its session this is, where there are several. */
function branchesText({ conversation, branches }: Inspection, { columns, paint }: Look): string[] {
  if (branches.length < 2) return [];
  const { session, id } = conversation;
  return [
    paint(
      "strong",
      `Branches of ${session === undefined || shortName(conversation) !== session ? "this conversation" : `session ${session}`}`,
    ),
    ...branchLines(branches, columns, id),
    "  → is shown here. To see another: precis inspect NAME.",
    "",
  ];
}

function factsOf(one: Conversation, length: number): string {
  const { fork } = metaOf(one);
  const facts = [
    ...(one.session === undefined || shortName(one) !== one.session ? [] : [`session ${one.session}`]),
    `conversation ${shortId(one.id)}`,
    ...(one.dialect === undefined ? [] : [one.dialect]),
    ...(one.model === undefined ? [] : [one.model]),
    messageCount(length),
    `changed ${formatTime(one.updatedAt)}`,
    ...(fork === undefined ? [] : [`forked from ${shortId(fork.of)} after ${messageCount(fork.length)}`]),
    ...(one.pinned ? ["pinned"] : []),
    ...(one.archived ? ["archived"] : []),
    ...(one.expiresAt === undefined ? [] : [`ends ${formatTime(one.expiresAt)}`]),
  ];
  return facts.join(" · ");
}

function checkpointLine(one: Checkpoint, inUse: boolean, undone: boolean): string {
  const mark = undone ? " · undone" : inUse ? " · in use" : "";
  const { before, after } = one.tokens;
  return `${formatTime(one.at)} · ${formatCount(before)} → ${formatCount(after)} tokens · because ${REASON_WORDS[one.reason]} · ${RUNG_WORDS[one.rung]} · ${STRATEGY_WORDS[one.strategy].label} · budget ${formatCount(one.budget)} · first ${messageCount(one.length)}${mark}`;
}

function messageLines({ view, tokens }: Inspection, { columns, paint }: Look): string[] {
  const fates = fatesOf(view.entries, view.transcript.length);
  const numberWidth = String(view.transcript.length).length;
  const fateWidth = Math.min(Math.floor(columns / 2), Math.max(...fates.map(({ what }) => what.length)));
  const line = (number: string, role: string, size: number, { what, tone }: Fate, words: string): string => {
    const start = `  ${number.padStart(numberWidth + 1)} ${role.padEnd(9)} ${formatCount(size).padStart(7)} `;
    const fate = cut(what, fateWidth).padEnd(fateWidth);
    const room = Math.max(0, columns - start.length - fate.length - 1);
    return `${start}${paint(tone, fate)} ${cut(words, room)}`.trimEnd();
  };
  return [
    ...(tokens.system > 0 ? [line("", "system", tokens.system, KEPT, "the system prompt")] : []),
    ...view.transcript.map((message, index) =>
      // As summaries and recall number them: what stands before the messages counts, too.
      line(
        `#${index + 1}`,
        message.role,
        tokens.messages[index] ?? 0,
        fates[index] ?? KEPT,
        previewOf(message),
      ),
    ),
  ];
}

function fatesOf(entries: readonly Entry[], length: number): Fate[] {
  const fates = new Array<Fate>(length).fill(KEPT);
  for (const entry of entries) {
    if (entry.type !== "insert") continue;
    for (const { from, to } of entry.covers) fates.fill(SUMMARISED, from, to);
  }
  for (const entry of entries) {
    if (entry.type === "keep") fates[entry.index] = KEPT;
    else if (entry.type === "drop") fates[entry.index] = fateOf("dropped", DROP_WORDS[entry.reason], "bad");
    else if (entry.type === "edit") {
      const reasons = new Set(entry.edits.map((edit) => EDIT_REASONS[edit.why]));
      fates[entry.index] = fateOf("shortened", [...reasons].join(", "), "warn");
    }
  }
  return fates;
}

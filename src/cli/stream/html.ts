import { RUNG_WORDS } from "../../core/words.ts";
import { type Block, reportPage } from "../../eval/report/report.ts";
import { formatSeconds } from "../../stream/format-seconds.ts";
import { sawtooth, type Timeline } from "../../stream/timeline.ts";
import type { StreamTrace } from "../../stream/types.ts";
import { STREAM_WORDS } from "../../stream/words.ts";
import { formatCount, formatShort } from "../format.ts";
import { type StreamFacts, streamTotals } from "./text-report.ts";

/** The timeline as a page. */
export function streamPage(facts: StreamFacts, timeline: Timeline): string {
  const { status, managed, said } = timeline;
  const total = streamTotals(facts, timeline);
  const spoken = said.map(({ time, text }) => `${formatSeconds(time)} ${text}`);
  return reportPage({
    kind: "precis stream",
    title: facts.file,
    facts: [
      STREAM_WORDS.strategies[facts.strategy],
      `window ${formatShort(status.window)}`,
      `managed at ${formatCount(status.limit)}`,
      `${facts.tokensPerFrame} tokens per frame`,
      facts.cache,
    ],
    blocks: [
      {
        is: "tiles",
        tiles: [
          {
            name: "Stream",
            value: formatSeconds(status.time),
            note: `${formatCount(status.frames)} frames, ${formatCount(facts.turns)} turns`,
          },
          {
            name: "Managed",
            value: formatCount(total.managed),
            note: `${total.managementMs.toFixed(1)} ms in all`,
          },
          {
            name: "Largest cache",
            value: formatCount(total.largest),
            note: `of a window of ${formatCount(status.window)}`,
          },
          { name: "Left the cache", value: formatShort(total.dropped), note: "tokens" },
        ],
      },
      {
        is: "chart",
        title: "Tokens in the cache, with the limit and the window",
        lines: [
          { label: "cache", points: sawtooth(timeline).map(({ time, tokens }) => [time, tokens] as const) },
        ],
        limits: [status.limit, status.window],
        marks: managed.map(({ time }, at) => ({ x: time, label: `management ${at + 1}`, id: `m${at + 1}` })),
        ends: ["0", formatSeconds(status.time)],
        top: status.window,
        format: formatShort,
      },
      { is: "heading", text: managedWords(managed.length) },
      ...managed.map(entryBlock),
      ...(said.length === 0
        ? []
        : ([
            { is: "heading", text: "What was said" },
            { is: "list", lines: spoken },
          ] as const)),
    ],
  });
}

const managedWords = (count: number): string =>
  count === 0
    ? "The cache was never full"
    : count === 1
      ? "Managed once"
      : `Managed ${formatCount(count)} times`;

function entryBlock(entry: StreamTrace, index: number): Block {
  const { tokens, rungs = [], warnings, kept = [] } = entry;
  const notes = [
    `${entry.durationMs.toFixed(1)} ms`,
    `because ${STREAM_WORDS.reasons[entry.reason]}`,
    ...rungs.map(
      ({ rung, result, note }) => `${RUNG_WORDS[rung]}: ${result}${note === undefined ? "" : ` (${note})`}`,
    ),
    ...kept.map(({ from, to }) => `kept tokens ${formatCount(from)} to ${formatCount(to)}`),
    ...warnings,
  ];
  const text = (title: string, given: string | undefined): Block[] =>
    given === undefined ? [] : [{ is: "text", title, text: given }];
  return {
    is: "fold",
    id: `m${index + 1}`,
    title: `${index + 1}: ${formatSeconds(entry.time)}, frame ${formatCount(entry.frame)}`,
    facts: [
      STREAM_WORDS.actions[entry.action],
      `${formatCount(tokens.before)} → ${formatCount(tokens.after)} tokens`,
    ],
    blocks: [
      { is: "note", text: notes.join(" · ") },
      ...text("Question", entry.query?.text),
      ...text("Summary", entry.summary),
      ...text("System message that took the cache's place", entry.head),
    ],
  };
}

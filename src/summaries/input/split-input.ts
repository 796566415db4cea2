import { ConfigError } from "../../core/errors.ts";
import type { Unit } from "../../core/rounds.ts";
import type { Message, Run } from "../../core/types.ts";
import { pointerTo } from "../records/pointers.ts";
import { type InputMode, renderRun } from "./summarizer-input.ts";

/** What `splitRuns` takes. */
export interface SplitInput {
  readonly messages: readonly Message[];
  /** Rounds and single messages of the whole transcript, from `structureOf`. */
  readonly units: readonly Unit[];
  readonly run: Run;
  /** Tokens that one rendered piece may have: the summariser's window without prompt, answer and safety. */
  readonly limit: number;
  /** Tokens of a text. */
  readonly count: (text: string) => number;
  readonly mode: InputMode;
}

/** A round that is larger than the summariser's window. */
interface Clipped {
  readonly run: Run;
  /** Tokens of all of it, and of what is shown. */
  readonly tokens: number;
  readonly shown: number;
}

/** What one call of the summariser reads. */
export interface InputPiece {
  readonly run: Run;
  readonly text: string;
  readonly tokens: number;
  /** What had to be shortened. Its place in the text carries a marker. */
  readonly clipped: readonly Clipped[];
}

/** Tokens of the line break between two units. */
const GLUE_TOKENS = 1;
/** How often the length of a clipped round is corrected. */
const MAX_ATTEMPTS = 12;

interface RenderedUnit {
  readonly run: Run;
  readonly text: string;
  readonly tokens: number;
  readonly clipped?: Clipped;
}

/**
 * The run in as few pieces as fit the summariser's window, cut between rounds, and about equally large where that takes no
 * more of them. The pieces' runs are the whole run, without gaps. Nothing is left out silently: see `clipped`.
 */
export function splitRuns(input: SplitInput): InputPiece[] {
  const units = renderUnits(input);
  const total = units.reduce((sum, unit) => sum + unit.tokens + GLUE_TOKENS, 0);
  const share = total / Math.max(1, Math.ceil(total / input.limit));
  const even = group(units, input.limit, share);
  // A large round in the middle can leave a small rest on each side of it.
  const few = group(units, input.limit, input.limit);
  const pieces: InputPiece[] = [];
  for (const one of few.length < even.length ? few : even) pieces.push(...closePiece(one, input));
  return pieces;
}

/** Units in groups within the limit; each ends where the groups so far have their shares. */
function group(units: readonly RenderedUnit[], limit: number, share: number): RenderedUnit[][] {
  const groups: RenderedUnit[][] = [];
  let open: RenderedUnit[] = [];
  let openTokens = 0;
  let closedTokens = 0;
  for (const unit of units) {
    const tokens = unit.tokens + GLUE_TOKENS;
    const middle = closedTokens + openTokens + tokens / 2;
    const full = openTokens + tokens > limit || (share < limit && middle > share * (groups.length + 1));
    if (full && openTokens > 0) {
      groups.push(open);
      closedTokens += openTokens;
      open = [];
      openTokens = 0;
    }
    open.push(unit);
    openTokens += tokens;
  }
  if (open.length > 0) groups.push(open);
  return groups;
}

/** The units as a piece; as several if they take more tokens together than one by one, which some tokenizers can do. */
function closePiece(units: readonly RenderedUnit[], input: SplitInput): InputPiece[] {
  const text = units.map((unit) => unit.text).join("\n");
  const tokens = input.count(text);
  if (tokens > input.limit && units.length > 1) {
    const half = units.length >> 1;
    return [...closePiece(units.slice(0, half), input), ...closePiece(units.slice(half), input)];
  }
  const clipped = units.flatMap((unit) => (unit.clipped ? [unit.clipped] : []));
  return [{ run: { from: units[0]!.run.from, to: units.at(-1)!.run.to }, text, tokens, clipped }];
}

function renderUnits({ messages, units, run, limit, count, mode }: SplitInput): RenderedUnit[] {
  const rendered: RenderedUnit[] = [];
  let from = run.from;
  for (const unit of units) {
    // A unit without words (nothing but reasoning) goes with the one after it, or with the last one.
    const part = { from, to: Math.min(unit.to, run.to) };
    if (unit.to <= run.from || unit.from >= run.to) continue;
    const text = renderRun(messages, part, mode);
    if (text === "") continue;
    from = part.to;
    const tokens = count(text);
    rendered.push(tokens <= limit ? { run: part, text, tokens } : clipUnit(part, text, tokens));
  }
  const last = rendered.at(-1);
  if (last !== undefined)
    rendered[rendered.length - 1] = { ...last, run: { from: last.run.from, to: run.to } };
  return rendered;

  /** The largest share of each part with which the unit fits, found by halving. */
  function clipUnit(part: Run, whole: string, tokens: number): RenderedUnit {
    const perToken = whole.length / tokens;
    let low = 0;
    let high = Math.ceil(limit * perToken * 2);
    let best: { text: string; tokens: number } | undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS && low <= high; attempt++) {
      const middle = (low + high) >> 1;
      const text = renderRun(messages, part, mode, middle);
      const shown = count(text);
      if (shown <= limit) {
        best = { text, tokens: shown };
        low = middle + 1;
      } else high = middle - 1;
    }
    best ??= marker(part, whole.length);
    return { run: part, ...best, clipped: { run: part, tokens, shown: best.tokens } };
  }

  function marker(part: Run, characters: number): { text: string; tokens: number } {
    const text = `[${pointerTo(part)}: ${characters} characters, too large for the summariser, not shown]`;
    const tokens = count(text);
    if (tokens > limit) {
      throw new ConfigError({
        option: "summarizer",
        message: `its window leaves ${limit} tokens for the transcript, which is less than one line.`,
        fix: "Choose a summariser with a larger window, or leave it out.",
      });
    }
    return { text, tokens };
  }
}

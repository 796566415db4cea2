import { describe, expect, it } from "vitest";
import { dialects } from "../apis/dialect-by-id.ts";
import { encode } from "../apis/transcode.ts";
import { TranscriptError } from "../core/errors.ts";
import type { Dialect, Edit, Message, Part, Role } from "../core/types.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { judgeWire } from "./rules/judge-wire.ts";

/** What `describeDialect` takes. */
export interface DialectContract<M> {
  readonly name: string;
  readonly dialect: Dialect<M>;
  /** A legal transcript that ends with the user. The more of the format it uses, the more is checked. */
  readonly samples: readonly M[];
}

/** A word that no sample contains. */
const NEW = "zebrafish";

const STRIP: Edit = { type: "strip-reasoning", why: "old-reasoning" };

/** The suite that every dialect passes. Run it on your own with samples of your format. */
export function describeDialect<M>({ name, dialect, samples: given }: DialectContract<M>): void {
  // A write to a frozen object throws, so every case below also proves that nothing is mutated.
  const samples = given.map(deepFreeze);

  describe(`dialect contract: ${name}`, () => {
    it("reads the same from the same message", () => {
      for (const sample of samples) expect(dialect.read(sample)).toEqual(dialect.read(sample));
    });

    it("refuses what isn't a message, and says what it expected and what it found", () => {
      for (const value of [
        null,
        undefined,
        "text",
        42,
        [],
        {},
        { role: 3, content: "x" },
        { role: "nobody" },
      ]) {
        let caught: unknown;
        try {
          dialect.read(value as M);
        } catch (error) {
          caught = error;
        }
        expect(caught, `for ${JSON.stringify(value)}`).toBeInstanceOf(TranscriptError);
        expect((caught as Error).message).toMatch(/expected .*found /);
      }
    });

    it("replaces each part, and nothing beside it", () => {
      for (const sample of samples) {
        const before = dialect.read(sample);
        for (const [part, target] of countedParts(before).entries()) {
          const edits = [replacement(target, part)];
          if (isUntouchable(target)) {
            expect(() => dialect.edit(sample, edits)).toThrow(/can't be edited/);
            continue;
          }
          const edited = dialect.edit(sample, edits);
          expectReplaced(before, dialect.read(edited), part);
          expectSameObjects(sample, edited);
        }
      }
    });

    it("counts parts without reasoning", () => {
      for (const sample of samples) {
        const before = dialect.read(sample);
        if (!before.parts.some((part) => part.type === "reasoning")) continue;
        for (const [part, target] of countedParts(before).entries()) {
          if (isUntouchable(target)) continue;
          const edit = replacement(target, part);
          const both = dialect.edit(sample, [edit, STRIP]);
          expect(dialect.edit(dialect.edit(sample, [STRIP]), [edit])).toEqual(both);
          expect(dialect.edit(dialect.edit(sample, [edit]), [STRIP])).toEqual(both);
        }
      }
    });

    it("strips all reasoning and nothing else, once and for all", () => {
      for (const sample of samples) {
        const before = dialect.read(sample);
        const stripped = dialect.edit(sample, [STRIP]);
        const after = dialect.read(stripped);
        expect(after.parts.filter((part) => part.type === "reasoning")).toEqual([]);
        if (countedParts(before).length > 0) expect(after.parts).toEqual(countedParts(before));
        expect(dialect.edit(stripped, [STRIP])).toEqual(stripped);
      }
    });

    it("never leaves a message empty", () => {
      for (const sample of samples) {
        const before = dialect.read(sample);
        const edits = countedParts(before).flatMap((target, part): Edit[] =>
          isUntouchable(target) ? [] : [{ type: "replace", part, text: "", why: "hard-cut" }],
        );
        const after = dialect.read(dialect.edit(sample, [...edits, STRIP]));
        if (before.parts.length > 0) expect(after.parts.length).toBeGreaterThan(0);
        for (const part of after.parts) if (part.type === "text") expect(part.text.trim()).not.toBe("");
      }
    });

    it("appends text at the end", () => {
      for (const role of ["system", "user", "assistant"] as const) {
        const sample = deepFreeze(dialect.write({ role, text: "first" }));
        const after = dialect.read(dialect.edit(sample, [{ type: "append", text: NEW, why: "summary" }]));
        expect(after.role).toBe(role);
        expect(textsOf(after).join("\n")).toMatch(new RegExp(`^first\\s+${NEW}$`));
      }
    });

    it("refuses an edit of a part that isn't there", () => {
      for (const sample of samples) {
        const part = countedParts(dialect.read(sample)).length;
        expect(() => dialect.edit(sample, [{ type: "replace", part, text: NEW, why: "hard-cut" }])).toThrow(
          `names part ${part}`,
        );
      }
    });

    it("reads what it wrote", () => {
      for (const role of ["system", "user", "assistant"] as const) {
        const message = dialect.read(dialect.write({ role, text: NEW }));
        expect(message).toEqual({ role, parts: [{ type: "text", text: NEW }] });
      }
    });

    it("reads and edits a system prompt that stands apart", () => {
      const system = { role: "system", content: "be brief" } as unknown as M;
      expect(dialect.read(system)).toEqual({ role: "system", parts: [{ type: "text", text: "be brief" }] });
      const edited = dialect.edit(system, [{ type: "append", text: NEW, why: "summary" }]);
      expect(textsOf(dialect.read(edited)).join("\n")).toMatch(new RegExp(`^be brief\\s+${NEW}$`));
    });

    it("sees precis's markers", () => {
      for (const sample of samples) {
        const marked = { ...sample, precis: { pin: true, knowledge: true } };
        expect(dialect.read(marked)).toEqual({ ...dialect.read(sample), pinned: true, knowledge: true });
      }
    });

    if (Object.hasOwn(dialects, dialect.id)) {
      it("survives the way into every dialect and back", () => {
        const before = samples.map((sample) => dialect.read(sample));
        for (const other of Object.values(dialects)) {
          const { messages, system } = encode(other.id, before);
          const head = system === undefined ? [] : [other.read({ role: "system", content: system })];
          const after = [...head, ...messages.map((message) => other.read(message))];
          expect(judgeWire(other.id, messages).faults, other.id).toEqual([]);
          expectAllSpoken(before, after, other.id);
          expect(callIds(after)).toEqual(callIds(before));
        }
      });
    }
  });
}

function countedParts(message: Message): Part[] {
  return message.parts.filter((part) => part.type !== "reasoning");
}

function isUntouchable(part: Part): boolean {
  return part.type === "other" || ("locked" in part && part.locked === true);
}

function replacement(target: Part, part: number): Edit {
  const text = target.type === "tool-call" ? `{"text":"${NEW}"}` : NEW;
  return { type: "replace", part, text, why: "hard-cut" };
}

function expectReplaced(before: Message, after: Message, part: number): void {
  expect(after.role).toBe(before.role);
  const old = countedParts(before);
  const now = countedParts(after);
  expect(now.length).toBe(old.length);
  for (const [i, was] of old.entries()) {
    const is = now[i];
    if (i !== part) expect(is).toEqual(was);
    else if (was.type === "tool-call") {
      expect(is).toMatchObject({ type: "tool-call", id: was.id, name: was.name });
      expect(is?.type === "tool-call" && is.args).toContain(NEW);
    } else if (was.type === "tool-result") {
      const { media, ...rest } = was;
      expect(is).toEqual({ ...rest, text: NEW });
    } else {
      expect(is).toEqual({ type: "text", text: NEW });
    }
  }
  expect(after.parts.filter((each) => each.type === "reasoning")).toEqual(
    before.parts.filter((each) => each.type === "reasoning"),
  );
}

/** One field of the message may differ, and in a list of parts one entry. */
function expectSameObjects(before: unknown, after: unknown): void {
  const a = before as Record<string, unknown>;
  const b = after as Record<string, unknown>;
  expect(Object.keys(b)).toEqual(Object.keys(a));
  const changed = Object.keys(a).filter((key) => a[key] !== b[key]);
  expect(changed.length).toBe(1);
  const [key = ""] = changed;
  const [old, now] = [a[key], b[key]];
  if (!Array.isArray(old) || !Array.isArray(now) || old.length !== now.length) return;
  expect(old.filter((entry, i) => entry !== now[i]).length).toBe(1);
}

function textsOf(message: Message): string[] {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** Everything that was said, with who said it. */
function spoken(messages: readonly Message[]): { role: Role; text: string }[] {
  return messages.flatMap(({ role, parts }) =>
    parts.flatMap((part) => (part.type === "text" && part.text !== "" ? [{ role, text: part.text }] : [])),
  );
}

function results(messages: readonly Message[]): Map<string, string> {
  return new Map(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-result" ? [[part.id, part.text] as const] : [])),
    ),
  );
}

function callIds(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : [])),
  );
}

/** Who says what a later system message said: Gemini knows none. */
function laterSystem(dialect: string): Role {
  return dialect === "gemini-contents" ? "user" : "system";
}

/** Formats without a place for something add a placeholder, so there may be more, but nothing less. */
function expectAllSpoken(before: readonly Message[], after: readonly Message[], where: string): void {
  const found = spoken(after);
  let at = 0;
  for (const line of spoken(before)) {
    // A system prompt may be several messages joined.
    const role = at > 0 && line.role === "system" ? laterSystem(where) : line.role;
    const isThere = (one: (typeof found)[number] | undefined) =>
      (one?.role === line.role || one?.role === role) && one.text.includes(line.text);
    while (at < found.length && !isThere(found[at])) at += 1;
    expect(at, `${where} lost or moved: ${line.role}: ${line.text}`).toBeLessThan(found.length);
  }
  const answers = results(after);
  for (const [id, text] of results(before)) expect(answers.get(id), `${where}: result ${id}`).toContain(text);
}

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Append } from "../../server-store.ts";
import { callOf, type JournalRecord, readRecord, writeRecords } from "./journal-record.ts";

/** A copy: the next one would overwrite it. */
const writeRecord = (record: JournalRecord) => Buffer.from(writeRecords([record]));

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", "line\nline", "漢字 😀", "é".repeat(5_000)),
);
const message = fc.record(
  {
    hash: fc.string(),
    role: fc.constantFrom("user" as const, "assistant" as const, "tool" as const),
    wire: text,
    tokens: fc.nat(),
    at: fc.nat(),
    answer: text,
  },
  { requiredKeys: ["hash", "role", "wire", "at"] },
);
const input: fc.Arbitrary<Append> = fc.record(
  {
    conversation: fc.uuid(),
    session: text,
    named: fc.constant(true as const),
    isNew: fc.constant(true as const),
    after: fc.string(),
    dialect: fc.constantFrom("openai-chat" as const, "anthropic-messages" as const),
    model: text,
    ttlMs: fc.nat(),
    head: text,
    title: text,
    messages: fc.array(message, { maxLength: 4 }),
    at: fc.nat(),
  },
  { requiredKeys: ["messages", "at"] },
);
const record = fc.record({
  call: fc.record({ tenant: fc.string(), id: fc.uuid(), input }),
  position: fc.nat(),
});

test("records come back as they were written, one behind the other", () => {
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), (records) => {
      const bytes = writeRecords(records);
      let at = 0;
      for (const written of records) {
        const read = readRecord(bytes, at);
        if (typeof read === "string") throw new Error(read);
        expect({ call: callOf(read), position: read.position }).toEqual(written);
        at = read.end;
      }
      expect(at).toBe(bytes.length);
      expect(readRecord(bytes, at)).toBe("unfinished");
    }),
  );
});

test("a record that isn't there as a whole is never read", () => {
  fc.assert(
    fc.property(record, fc.nat(), (written, cut) => {
      const bytes = writeRecord(written);
      expect(readRecord(bytes.subarray(0, cut % bytes.length), 0)).toBe("unfinished");
    }),
  );
});

test("a byte that isn't as it was written is noticed", () => {
  fc.assert(
    fc.property(record, fc.nat(), fc.integer({ min: 1, max: 255 }), (written, at, change) => {
      const bytes = writeRecord(written);
      const index = at % bytes.length;
      bytes[index] = bytes[index]! ^ change;
      // A size that grew looks like a record that isn't whole yet.
      expect(["damaged", "unfinished"]).toContain(readRecord(bytes, 0));
    }),
  );
});

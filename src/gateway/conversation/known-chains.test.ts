import { expect, test } from "vitest";
import { chainOf } from "../../core/chain.ts";
import { wireOfDialect } from "../wires/index.ts";

import { transcriptRecord } from "./transcript-record.ts";

const { dialect } = wireOfDialect(undefined);
const messages = Array.from({ length: 12 }, (_, n) =>
  n === 0
    ? { role: "system", content: "Be kind." }
    : { role: n % 2 === 1 ? "user" : "assistant", content: `message ${n}` },
);
const whole = (wire: readonly unknown[]) =>
  chainOf(
    wire.map((one) => dialect.read(one)),
    1,
  );

test("a chain that goes on from the one before is the chain of the whole transcript", () => {
  for (const length of [4, 6, 6, 9, 5, 12]) {
    const transcript = messages.slice(0, length);
    const record = transcriptRecord(dialect, { transcript, system: undefined }, true);
    expect(record.chain).toEqual(whole(transcript));
    const answer = { role: "assistant", content: `answer at ${length}` };
    expect(record.with([answer]).chain).toEqual(whole([...transcript, answer]));
  }
});

test("another message before the known last one makes another chain", () => {
  transcriptRecord(dialect, { transcript: messages.slice(0, 8), system: undefined }, true);
  const changed = messages.with(3, { role: "user", content: "something else" });
  const record = transcriptRecord(dialect, { transcript: changed, system: undefined }, true);
  expect(record.chain).toEqual(whole(changed));
});

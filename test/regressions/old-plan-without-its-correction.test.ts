import { expect, it } from "vitest";
import type { Message } from "../../src/core/types.ts";
import { say, summaryOf } from "../support/summary-of.ts";

const ASIDES = [
  ["I was thinking about lunch earlier.", "Understood. Shall we go on?"],
  ["Do you know what a quokka is?", "I hear you. Anything else?"],
  ["My internet has been slow today.", "Noted. Back to the plan?"],
  ["Did you see that article about electric cars?", "Sure. Is there anything more?"],
] as const;

function talk(opening: readonly Message[], asides: number): Message[] {
  return [
    ...opening,
    ...Array.from({ length: asides }, (_, at) => {
      const [aside, reply] = ASIDES[at % ASIDES.length]!;
      return [say("user", aside), say("assistant", reply)];
    }).flat(),
    say("user", "What is the plan now?"),
  ];
}

const plans: Readonly<Record<string, readonly [string, string]>> = {
  "no word in common": [
    "For Quinn's redesign, we keep the sessions in the browser.",
    "On second thought the vault of the platform team is where tokens live.",
  ],
  "the old plan named again": [
    "The exports are written as spreadsheets every night.",
    "Spreadsheets are off the table for the exports; parquet files go to the lake.",
  ],
};

for (const [name, [old, newer]] of Object.entries(plans))
  it(`shows the correction wherever it shows what was corrected: ${name}`, () => {
    const messages = talk(
      [say("user", old), say("assistant", "Fine."), say("user", newer), say("assistant", "OK.")],
      16,
    );
    for (let cap = 50; cap <= 200; cap += 5) {
      const text = summaryOf(messages, cap);
      expect([cap, text.includes(old) && !text.includes(newer)]).toEqual([cap, false]);
    }
    expect(summaryOf(messages, 110)).toContain(newer);
  });

it("shows what was said word for word again once, and who owns what before asides", () => {
  const owners = "Omar owns the importer, Wen owns the billing export, both until Friday.";
  const text = summaryOf(talk([say("user", owners), say("assistant", "Two owners.")], 40), 120);
  expect(text).toContain(owners);
  for (const [aside] of ASIDES) expect(text.split(aside).length).toBeLessThanOrEqual(2);
});

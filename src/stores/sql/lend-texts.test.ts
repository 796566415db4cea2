import { expect, test } from "vitest";
import { type LentText, moveToBodies } from "./carry-out.ts";
import { bodyHash } from "./place-text.ts";
import { runNow } from "./script.ts";

test("the texts of a long conversation are moved in few statements", () => {
  const texts: LentText[] = Array.from({ length: 1_000 }, (_, position) => {
    const wire = `text ${position}`;
    return { position, wire, body: bodyHash(wire) };
  });
  let statements = 0;
  let named = 0;
  runNow(moveToBodies("t", "c", texts), ({ sql, parameters }) => {
    expect(sql.match(/\?/g)).toHaveLength(parameters.length);
    statements++;
    named += parameters.filter((value) => typeof value === "number").length;
    return [];
  });
  expect(named).toBe(texts.length);
  expect(statements).toBeLessThan(texts.length / 20);
});

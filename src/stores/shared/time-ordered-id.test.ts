import { expect, test } from "vitest";
import { timeOrderedId } from "./time-ordered-id.ts";

test("ids are UUIDs that sort by their time and are never the same", () => {
  const ids = [1_000, 1_700_000_000_000, 1_700_000_000_001, 1_800_000_000_000].map(timeOrderedId);
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect([...ids].sort()).toEqual(ids);
  expect(timeOrderedId(5)).not.toBe(timeOrderedId(5));
});

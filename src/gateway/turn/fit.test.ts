import { expect, it } from "vitest";
import type { FitResult } from "../../core/types.ts";
import { watchedFit } from "./fit.ts";
import type { Turn, TurnParts } from "./turn.ts";

it("a state that nobody asks for isn't made: to put one together reads all that was compacted", async () => {
  const asked: string[] = [];
  const fitted = {
    messages: [],
    system: undefined,
    report: {},
    get state() {
      asked.push("state");
      return {};
    },
    get background() {
      asked.push("background");
      return Promise.resolve({});
    },
  } as unknown as FitResult<unknown>;
  const record = { id: "r", clientName: "a" };
  const turn = { client: { tenant: "a" }, recording: undefined, record } as unknown as Turn;
  const held = await watchedFit({} as TurnParts, turn, async () => ({ fitted, given: undefined }));
  expect(held.fitted).toBe(fitted);
  expect(asked).toEqual([]);
});

import { expect, it } from "vitest";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { deepFreeze } from "../../src/testing/index.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { session } from "../support/host.ts";

it.each(DIALECT_IDS)("%s: neither the call nor writes to its result reach the transcript", async (id) => {
  const { messages, system } = session(40, id);
  deepFreeze(messages);
  const before = JSON.stringify(messages);
  const compactor = createCompactor<object>({ dialect: dialectOf(id), budget: 3_000 });
  for (const call of ["fit", "compact"] as const) {
    const result = await compactor[call](messages, system === undefined ? {} : { system });
    expect(result.messages).not.toBe(messages);
    result.messages.splice(0, result.messages.length);
    expect(JSON.stringify(messages)).toBe(before);
  }
});

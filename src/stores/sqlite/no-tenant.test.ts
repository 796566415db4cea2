import { expect, test } from "vitest";
import { storedTranscript } from "../../testing/store-contract.ts";
import { sqliteStore } from "../sqlite.ts";

test("whoever asks without a tenant or without a conversation gets nothing of others", async () => {
  const store = sqliteStore({ path: ":memory:" });
  const { conversation } = await store.conversations.append("acme", {
    messages: storedTranscript("secret"),
    at: 1,
  });
  const nobody = undefined as unknown as string;
  const answers = await Promise.allSettled([
    store.conversations.read("other", nobody),
    store.conversations.read(nobody, conversation),
    store.conversations.list(nobody, {}),
    store.requests.list(nobody, {}),
  ]);
  const got = answers.map((one) => (one.status === "fulfilled" ? JSON.stringify(one.value) : ""));
  for (const text of got) expect(text).not.toMatch(/secret|acme/);
  expect(got.join("")).not.toContain(conversation);
  await store.close();
});

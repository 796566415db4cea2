/** An example that is opened again is the conversation that was made of it, with what was said in it since. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import { apiOf } from "./api-support.ts";
import { type ServeHere, serveHere } from "./serve-here.ts";

let serve: ServeHere;
const { call } = apiOf(() => serve.url);
beforeAll(async () => {
  serve = await serveHere([]);
});
afterAll(() => serve.stop());

const text = JSON.stringify([
  { role: "user", content: "Where is parcel 7?" },
  { role: "assistant", content: "In Basel." },
]);
const open = (name: string, isExample: boolean) =>
  call(routes.importFile, { body: { name, text, ...(isExample && { isExample }) } });
const listed = async () => (await call(routes.conversations)).conversations.map(({ id }) => id);

it("makes no second copy, and keeps what a person changed", async () => {
  const first = await open("parcels.json", true);
  expect(first.isKnown).toBeUndefined();
  const { id } = first.conversations[0]!;
  await call(routes.changeConversation, { params: { id }, body: { title: "Mine" } });
  await call(routes.appendMessage, { params: { id }, body: { role: "user", text: "And parcel 8?" } });
  const again = await open("parcels.json", true);
  expect(again).toMatchObject({ isKnown: true, conversations: [{ id, title: "Mine", messages: 3 }] });
  expect(await listed()).toEqual([id]);
});

it("a file of one's own is opened as often as one likes, and a deleted example comes anew", async () => {
  const before = await listed();
  const files = [await open("own.json", false), await open("own.json", false)];
  expect(new Set(files.map(({ conversations }) => conversations[0]!.id)).size).toBe(2);
  const { id } = (await open("deleted.json", true)).conversations[0]!;
  await call(routes.deleteConversation, { params: { id } });
  const anew = await open("deleted.json", true);
  expect(anew.isKnown).toBeUndefined();
  expect(anew.conversations[0]).toMatchObject({ messages: 2 });
  expect(anew.conversations[0]!.id).not.toBe(id);
  expect(await listed()).toHaveLength(before.length + 3);
});

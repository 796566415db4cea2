import { expect, it } from "vitest";
import { dialects, openaiChat } from "../index.ts";

it.each(Object.values(dialects))("$id: an unknown role is named, beside those that exist", (dialect) => {
  const read = () => dialect.read({ role: "wizard", content: "Abracadabra" } as never);
  expect(read).toThrow(/expected `role` to be one of .*\buser\b.*, found "wizard"\./);
  expect(read).not.toThrow("Abracadabra");
});

it.each(Object.values(dialects))("$id: a message without a role is told by its fields", (dialect) => {
  const read = () => dialect.read({ content: "Abracadabra" } as never);
  expect(read).toThrow(/with a `(type|role)`.*, found an object with the fields content\./);
});

it("a very long role is cut", () => {
  const read = () => openaiChat.read({ role: "x".repeat(10_000) } as never);
  expect(read).toThrow(/found "x{40}…"/);
});

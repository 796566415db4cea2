import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { dialectById } from "../../apis/index.ts";
import { readLog } from "../../apis/logs/index.ts";
import { suggestProfile } from "./suggest-profile.ts";

const ofExample = (name: string): string => {
  const log = readLog(readFileSync(new URL(`../../../examples/${name}`, import.meta.url), "utf8"));
  return suggestProfile(log.messages.map((message) => dialectById(log.dialect).read(message)));
};

it("questions about documents, work and talk each have their profile", () => {
  expect(ofExample("retrieval-chat.json")).toBe("rag");
  expect(ofExample("coding-session.jsonl")).toBe("agent");
  const said = (role: "user" | "assistant", text: string) =>
    ({ role, parts: [{ type: "text", text }] }) as const;
  expect(suggestProfile([said("user", "Hello"), said("assistant", "Hi.")])).toBe("desktop");
});

import { expect, test } from "vitest";
import { COMMANDS } from "../commands.ts";
import { parseFlags } from "../parse-command.ts";
import { resumeLine } from "./connect.ts";

const ID = "01a1e989-0000-7000-8000-00003f2a9c1d";

test.each([
  [[], "precis chat --resume 3f2a9c1d"],
  [["--db", "other.db"], "precis chat --resume 3f2a9c1d --db other.db"],
  [["--db", "my chats.db"], "precis chat --resume 3f2a9c1d --db 'my chats.db'"],
  [["--db", "postgres://me:secret@db/precis"], "precis chat --resume 3f2a9c1d --db postgres://me@db/precis"],
  [
    ["--server", "http://127.0.0.1:8787", "--key-env", "KEY"],
    "precis chat --resume 3f2a9c1d --server http://127.0.0.1:8787 --key-env KEY",
  ],
  [["--system", "Be brief.", "--config", "c.json"], "precis chat --resume 3f2a9c1d --config c.json"],
])("after precis chat %j", (args, line) => {
  expect(resumeLine(ID, parseFlags("chat", COMMANDS.chat.flags, args).options)).toBe(line);
});

test("tells two chats apart that began in the same minute", () => {
  const lines = ["01a1e989-03c6-7f83-bbc5-1b56260518e6", "01a1e989-1f02-7aa1-9d3e-77c0aa35c2f1"].map((id) =>
    resumeLine(id, {}),
  );
  expect(new Set(lines).size).toBe(2);
});

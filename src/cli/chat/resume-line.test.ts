import { expect, test } from "vitest";
import { chatLine } from "../chat.ts";
import { parseFlags } from "../parse-flags.ts";
import { resumeLine } from "./resume-line.ts";

const ID = "3f2a9c1d-aaaa-bbbb-cccc-000000000000";

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
  expect(resumeLine(ID, parseFlags(chatLine, args))).toBe(line);
});

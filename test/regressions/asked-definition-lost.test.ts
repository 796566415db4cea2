import { expect, it } from "vitest";
import { say, summaryOf, toolRound } from "../support/summary-of.ts";

const definition = (at: number) =>
  `export function handle_${at}_special(arg: Config${at}) { return lookup("key-${at}"); }`;

function read(files: number, newest: string) {
  return [
    say("user", "Fix the failing test in src/parse/lexer.ts"),
    ...Array.from({ length: files }, (_, at) =>
      toolRound(
        "read_file",
        { path: `src/p${at}.ts` },
        Array.from({ length: 20 }, (_, line) =>
          line === 9 ? definition(at) : `// remark ${line} on part ${at}`,
        ).join("\n"),
      ),
    ).flat(),
    say("assistant", "Done reading."),
    say("user", newest),
  ];
}

it("shows the definition of what the newest message asks about before all others", () => {
  const text = summaryOf(read(60, "What are the parameters of handle_7_special and handle_23_special?"), 500);
  for (const at of [7, 23]) expect(text).toContain(definition(at));
});

it("shows it also where somebody has mentioned the name in between", () => {
  const messages = read(60, "What are the parameters of handle_7_special?");
  messages.splice(
    -2,
    0,
    say("assistant", "I will change handle_7_special next, since `handle_7_special` is old."),
  );
  expect(summaryOf(messages, 500)).toContain(definition(7));
});

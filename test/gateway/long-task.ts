import {
  type FakeReplier,
  type FakeRequest,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";

/** Words of one tool result; about 350 tokens each. */
const LINES = 24;

/** What the tool answers: text that differs from file to file. */
export function fileText(path: string): string {
  return Array.from(
    { length: LINES },
    (_, line) => `${path}:${line} const value${line} = compute("${path}", ${line * 7});`,
  ).join("\n");
}

/** A model that reads `rounds` files, one after the other, and then says that it is done. Asked for a summary, it writes one. */
export function longTask(rounds: number): { readonly reply: FakeReplier; readonly asked: () => number } {
  let asked = 0;
  const reply = summarizingReply({
    when: (request: FakeRequest) =>
      request.tools.length === 0 || /<\/?(?:analysis|summary)>|summary of/i.test(request.lastUser),
    otherwise: () => {
      if (asked >= rounds) return "All files are read. TASK-DONE";
      const path = `src/module-${asked}/file-${asked}.ts`;
      asked++;
      return { calls: [{ name: "read_file", args: { path } }] };
    },
  });
  return { reply, asked: () => asked };
}

import type { ModelRequest } from "../../core/types.ts";

/** What the folder's `README.txt` says to whoever answers. */
export const README = `precis asks a model here. You, or a program of yours, are the model.

For each file NAME.request.txt (the same as data: NAME.request.json):

1. Read it. "system" holds the instructions, "user" what is asked.
2. Write the answer, and nothing else, into NAME.reply.txt in this folder.
   A program should write it under another name first and then rename it.

Instead of NAME.reply.txt you may write NAME.reply.json:

  { "text": "the answer",
    "stop": "end",                             or "length", "refusal", "other"
    "usage": { "input": 1200, "output": 80 },  tokens, if you know them
    "model": "who answered" }

  { "error": "why there is no answer" }        the request fails

precis looks for replies all the time. A request that was answered moves to done/.
A request that is no longer wanted disappears.
`;

/** A request for people: what a model would see, and where the answer goes. */
export function requestText(stem: string, request: ModelRequest): string {
  const parts = [
    ...(request.system === undefined ? [] : [{ role: "system", text: request.system }]),
    ...request.messages,
  ];
  const words = `Answer in ${stem}.reply.txt, with at most ${request.cap} tokens. README.txt says more.`;
  return [words, ...parts.map(({ role, text }) => `=== ${role} ===\n${text}`), ""].join("\n\n");
}

/** The same for programs. */
export function requestJson(stem: string, request: ModelRequest): string {
  const { name, system, messages, cap, temperature } = request;
  const value = { name, reply: `${stem}.reply.txt`, cap, temperature, system, messages };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

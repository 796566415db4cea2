/** Requests that nobody sends in earnest, each up to the size that a gateway takes. */
export interface HostileBody {
  readonly name: string;
  readonly path: string;
  readonly body: string;
}

const MB = 1_000_000;
const CHAT = "/v1/chat/completions";
const many = (one: string, bytes: number) =>
  Array(Math.floor(bytes / (one.length + 1)))
    .fill(one)
    .join(",");
const chat = (messages: string, more = "") => `{"model":"m"${more},"messages":[${messages}]}`;
const user = (content: string) => `{"role":"user","content":${content}}`;
const TOOL_ROUND = (result: string) =>
  [
    user('"hi"'),
    '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{}"}}]}',
    `{"role":"tool","tool_call_id":"c","content":${result}}`,
    '{"role":"assistant","content":"ok"}',
    user('"and now?"'),
  ].join(",");
const ARGUMENTS = (args: string) =>
  [
    user('"hi"'),
    `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"write","arguments":${args}}}]}`,
    '{"role":"tool","tool_call_id":"c","content":"ok"}',
    '{"role":"assistant","content":"ok"}',
    user('"and now?"'),
  ].join(",");
const SAID = (text: string) =>
  [user('"hi"'), `{"role":"assistant","content":${text}}`, user('"and now?"')].join(",");
/** A text in pieces of so many characters. */
const piecesOf = (json: string, characters: number) => {
  const whole = JSON.parse(json) as string;
  return Array.from({ length: Math.floor(whole.length / characters) }, (_, at) =>
    JSON.stringify(whole.slice(at * characters, (at + 1) * characters)),
  );
};
const DIALOGUE = (said: string, characters: number) =>
  piecesOf(said, characters)
    .slice(0, 19_998)
    .map((one, at) => `{"role":"${at % 2 === 0 ? "user" : "assistant"}","content":${one}}`)
    .concat(user('"and now?"'))
    .join(",");
const RESULTS = (found: string, characters: number) =>
  [
    user('"hi"'),
    ...piecesOf(found, characters)
      .slice(0, 9_998)
      .map(
        (one, at) =>
          `{"role":"assistant","content":null,"tool_calls":[{"id":"c${at}","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c${at}","content":${one}}`,
      ),
    user('"and now?"'),
  ].join(",");
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const text = (piece: string, bytes: number) => JSON.stringify(piece.repeat(Math.floor(bytes / piece.length)));

/** Words that are all different: nothing that was counted before helps. */
function words(bytes: number): string {
  let seed = 1;
  const next = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed.toString(36);
  };
  const parts: string[] = [];
  for (let size = 0; size < bytes; ) {
    const word = next();
    parts.push(word);
    size += word.length + 1;
  }
  return JSON.stringify(parts.join(" "));
}

/** `share`: 1 for the whole size of each, less for a quick look. */
export function hostileBodies(share: number): HostileBody[] {
  const size = (megabytes: number) => megabytes * MB * share;
  const to = (name: string, body: string, path = CHAT): HostileBody => ({ name, path, body });
  const hi = user('"hi"');
  return [
    to("60 MB of tiny messages", chat(many(user('"a"'), size(60)))),
    to("19,000 tiny messages", chat(many(user('"a"'), 0.57 * MB * share))),
    to("60 MB of numbers", chat(hi, `,"x":[${many("1", size(60))}]`)),
    to(
      "one big integer and 1.9 MB of numbers",
      chat(hi, `,"y":12345678901234567890,"x":[${many("1", size(1.9))}]`),
    ),
    to("8 MB of big integers", chat(hi, `,"x":[${many("12345678901234567890", size(8))}]`)),
    to("brackets 200,000 deep", chat(user(deep(200_000 * share)))),
    to(
      "brackets in a tool",
      chat(hi, `,"tools":[{"function":{"name":"f","parameters":${deep(200_000 * share)}}}]`),
    ),
    to("a model's name of 20 MB", `{"model":${text("x-v1", size(20))},"messages":[${hi}]}`),
    to("2 MB of different words", chat(user(words(size(2))))),
    to("2 MB of letters without a space", chat(user(text("a", size(2))))),
    to("2 MB of ideographs", chat(user(text("漢字仮名交", size(0.7))))),
    to("2 MB that look like secrets", chat(user(text("eyJaaaaaaaaaa-", size(2))))),
    to(
      "20 MB of a picture",
      chat(
        user(`[{"type":"image_url","image_url":{"url":"data:image/png;base64,${"A".repeat(size(20))}"}}]`),
      ),
    ),
    ...[1, 10, 30, 60].map((megabytes) =>
      to(
        `${megabytes} MB of words from a tool`,
        chat(TOOL_ROUND(text("some words of it, ", size(megabytes)))),
      ),
    ),
    to("60 MB of words that were said", chat(SAID(text("some words of it, ", size(60))))),
    to("60 MB of lines that were said", chat(SAID(text("src/a/b.ts: some words 12\n", size(58))))),
    to("60 MB of words from the user", chat(user(text("some words of it, ", size(60))))),
    to(
      "30 MB in the arguments of a call",
      chat(ARGUMENTS(JSON.stringify(`{"text": ${text("some words ", size(30))}}`))),
    ),
    to("60 MB of escaped quotes", chat(user(text('"', size(30))))),
    to("60 MB of other words from a tool", chat(TOOL_ROUND(words(size(60))))),
    to("20,000 messages of 3 KB", chat(many(user(text("some words ", 2_950 * share)), size(59)))),
    to("20,000 messages of a dialogue", chat(DIALOGUE(words(size(12)), 600 * share))),
    to("10,000 results", chat(RESULTS(words(size(10)), 1_000 * share))),
    to("20,000 messages of short lines", chat(many(user(text("ab\n", 2_200 * share)), size(59)))),
    to("60 messages of 1 MB", chat(DIALOGUE(words(size(58)), 950_000 * share))),
    to(
      "60 MB from a tool, Messages API",
      `{"model":"m","max_tokens":10,"messages":[${user('"hi"')},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":${text("some words ", size(60))}}]},{"role":"assistant","content":"ok"},${user('"and now?"')}]}`,
      "/v1/messages",
    ),
    to(
      "60 MB from a tool, Responses API",
      `{"model":"m","input":[${user('"hi"')},{"type":"function_call","call_id":"c","name":"read","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":${text("some words ", size(60))}},{"role":"assistant","content":"ok"},${user('"and now?"')}]}`,
      "/v1/responses",
    ),
    to(
      "20 MB of a tool's description",
      chat(
        hi,
        `,"tools":[{"type":"function","function":{"name":"f","description":${text("some words ", size(20))},"parameters":{"type":"object"}}}]`,
      ),
    ),
    to(
      "10 MB to count",
      `{"model":"m","messages":[${user(text("some words ", size(10)))}]}`,
      "/v1/messages/count_tokens",
    ),
  ];
}

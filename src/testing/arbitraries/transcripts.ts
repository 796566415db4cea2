import fc from "fast-check";
import type { Message, Part, ToolCallPart, ToolResultPart } from "../../core/types.ts";
import { TINY_PNG } from "../builders.ts";
import { args, HOSTILE_TEXTS, large, lines, text } from "./texts.ts";

/** So few ids that they repeat in almost every transcript. */
const id = fc.constantFrom("c1", "c2", "c3", "c4", "c5", "");
const toolName = fc.constantFrom("read", "bash", "search", "apply_patch");

const image: Part = { type: "image", source: `data:image/png;base64,${TINY_PNG}`, width: 1, height: 1 };
const frame: Part = { type: "frame", count: 8, source: "frames" };
const file: Part = {
  type: "file",
  name: "report.pdf",
  mediaType: "application/pdf",
  bytes: 40_000,
  source: "file-1",
};
const other: Part = { type: "other", kind: "hologram", json: '{"type":"hologram","payload":[1,2,3]}' };

const reasoning = fc.record({ type: fc.constant("reasoning" as const), text, signed: fc.boolean() });
const call: fc.Arbitrary<ToolCallPart> = fc.record({
  type: fc.constant("tool-call" as const),
  id,
  name: toolName,
  args,
});
const resultText = fc.oneof({ arbitrary: text, weight: 2 }, { arbitrary: large(80), weight: 2 }, lines(20));

const answer = (to: ToolCallPart, body: string): ToolResultPart => ({
  type: "tool-result",
  id: to.id,
  name: to.name,
  text: body,
});

const said = (role: "user" | "assistant" | "system", part: fc.Arbitrary<Part>): fc.Arbitrary<Message[]> =>
  part.map((one) => [{ role, parts: [one] }]);
const plain = text.map((body): Part => ({ type: "text", text: body }));

/** How the answers of a round come: as they should, shuffled, or not all of them. */
const answering = fc.constantFrom(
  "in-order",
  "in-order",
  "in-order",
  "reversed",
  "first-only",
  "none",
  "before",
  "twice",
);

/** An assistant message with calls, and its results in one or several messages. */
export const round: fc.Arbitrary<Message[]> = fc
  .tuple(
    fc.array(call, { minLength: 1, maxLength: 3 }),
    fc.array(resultText, { minLength: 3, maxLength: 3 }),
    answering,
    fc.option(fc.oneof(plain, reasoning), { nil: undefined }),
    fc.boolean(),
  )
  .map(([calls, texts, how, lead, together]) => {
    const parts = calls.map((one, at) => answer(one, texts[at] ?? ""));
    const given =
      how === "reversed"
        ? parts.toReversed()
        : how === "first-only"
          ? parts.slice(0, 1)
          : how === "none"
            ? []
            : how === "twice"
              ? [...parts, parts[0]!]
              : parts;
    const asking: Message = { role: "assistant", parts: [...(lead === undefined ? [] : [lead]), ...calls] };
    const results: Message[] =
      given.length === 0
        ? []
        : together
          ? [{ role: "tool", parts: given }]
          : given.map((part) => ({ role: "tool", parts: [part] }));
    return how === "before" ? [...results, asking] : [asking, ...results];
  });

/** A round as it should be: distinct ids, every call answered. */
export const soundRound = (serial: number): fc.Arbitrary<Message[]> =>
  fc.tuple(toolName, args, resultText).map(([name, input, body]) => {
    const one: ToolCallPart = { type: "tool-call", id: `call-${serial}`, name, args: input };
    return [
      { role: "assistant", parts: [one] },
      { role: "tool", parts: [answer(one, body)] },
    ];
  });

/** One thing that can happen in a conversation, as one or more messages. */
const step: fc.Arbitrary<Message[]> = fc.oneof(
  { arbitrary: said("user", plain), weight: 6 },
  { arbitrary: said("assistant", plain), weight: 5 },
  { arbitrary: round, weight: 10 },
  { arbitrary: said("system", plain), weight: 1 },
  { arbitrary: said("user", fc.constantFrom(image, file, other)), weight: 1 },
  { arbitrary: plain.map((part): Message[] => [{ role: "user", parts: [part, image, image] }]), weight: 1 },
  {
    arbitrary: fc.constantFrom<Message[]>([{ role: "user", parts: [] }], [{ role: "assistant", parts: [] }]),
    weight: 1,
  },
  {
    arbitrary: fc
      .tuple(reasoning, plain)
      .map(([thought, part]): Message[] => [{ role: "assistant", parts: [thought, part] }]),
    weight: 2,
  },
  { arbitrary: reasoning.map((thought): Message[] => [{ role: "assistant", parts: [thought] }]), weight: 1 },
  {
    arbitrary: fc
      .tuple(call, resultText)
      .map(([one, body]): Message[] => [{ role: "tool", parts: [answer(one, body)] }]),
    weight: 1,
  },
  {
    // A person speaks while results come back: one message holds both.
    arbitrary: fc.tuple(call, resultText, plain).map(([one, body, words]): Message[] => [
      { role: "assistant", parts: [one] },
      { role: "user", parts: [answer(one, body), words] },
    ]),
    weight: 2,
  },
  {
    arbitrary: fc
      .tuple(plain, fc.boolean())
      .map(([part, pinned]): Message[] => [
        { role: "user", parts: [part], ...(pinned ? { pinned: true } : { knowledge: true }) },
      ]),
    weight: 1,
  },
  {
    arbitrary: fc.tuple(call, resultText).map(([one, body]): Message[] => [
      { role: "assistant", parts: [one] },
      { role: "tool", parts: [answer(one, body)], pinned: true },
    ]),
    weight: 1,
  },
);

const steps = (max: number): fc.Arbitrary<Message[]> =>
  fc.array(step, { minLength: 1, maxLength: max, size: "max" }).map((all) => all.flat());

const rounds = (max: number): fc.Arbitrary<Message[]> =>
  fc
    .integer({ min: 1, max })
    .chain((count) =>
      fc.tuple(...Array.from({ length: count }, (_, serial) => soundRound(serial))).map((all) => all.flat()),
    );

const opening = fc.oneof(
  { arbitrary: fc.constant<Message[]>([]), weight: 1 },
  { arbitrary: said("system", plain), weight: 3 },
  { arbitrary: fc.tuple(said("system", plain), said("system", plain)).map((both) => both.flat()), weight: 1 },
);

const user = said("user", plain);

/** What a transcript can look like as a whole. */
const body: fc.Arbitrary<Message[]> = fc.oneof(
  { arbitrary: steps(8), weight: 6 },
  { arbitrary: steps(30), weight: 4 },
  // One request, and then the agent works on its own.
  { arbitrary: fc.tuple(user, rounds(25)).map((all) => all.flat()), weight: 3 },
  // No user message at all.
  { arbitrary: rounds(8), weight: 1 },
  // Only results.
  {
    arbitrary: fc
      .array(call, { minLength: 1, maxLength: 6 })
      .map((all): Message[] => all.map((one) => ({ role: "tool", parts: [answer(one, "late")] }))),
    weight: 1,
  },
  // The newest message is an open call.
  {
    arbitrary: fc
      .tuple(user, rounds(4), call)
      .map(([first, middle, one]): Message[] => [...first, ...middle, { role: "assistant", parts: [one] }]),
    weight: 2,
  },
  // Parallel calls, of which one is answered so far.
  {
    arbitrary: fc.tuple(steps(5), text).map(([before, body]): Message[] => {
      const [a, b] = ["open-a", "open-b"].map(
        (open): ToolCallPart => ({ type: "tool-call", id: open, name: "read", args: "{}" }),
      );
      return [...before, { role: "assistant", parts: [a!, b!] }, { role: "tool", parts: [answer(b!, body)] }];
    }),
    weight: 2,
  },
  // Talk without tools.
  {
    arbitrary: fc
      .array(fc.tuple(user, said("assistant", plain)), { minLength: 1, maxLength: 20 })
      .map((all) => all.flat(2)),
    weight: 3,
  },
  // Nothing but pictures.
  {
    arbitrary: fc.array(
      fc.constantFrom<Message>({ role: "user", parts: [image] }, { role: "user", parts: [frame] }),
      { minLength: 1, maxLength: 6 },
    ),
    weight: 1,
  },
  // One message that outweighs all others.
  {
    arbitrary: fc
      .tuple(steps(4), large(2_000), fc.constantFrom("user", "assistant", "tool"), steps(4))
      .map(([before, giant, role, after]): Message[] => [
        ...before,
        ...(role === "tool"
          ? [
              {
                role: "assistant" as const,
                parts: [{ type: "tool-call" as const, id: "giant", name: "read", args: "{}" }],
              },
              {
                role: "tool" as const,
                parts: [{ type: "tool-result" as const, id: "giant", name: "read", text: giant }],
              },
            ]
          : [{ role: role as "user" | "assistant", parts: [{ type: "text" as const, text: giant }] }]),
        ...after,
      ]),
    weight: 2,
  },
);

/** A transcript that no client should send and that some client does, in core form. */
export const hostileTranscript: fc.Arbitrary<Message[]> = fc.tuple(opening, body).map((all) => all.flat());

/** One user message and then `count` rounds: an agent at work. Not an arbitrary: the same every time. */
export function longRun(count: number): Message[] {
  const messages: Message[] = [
    { role: "system", parts: [{ type: "text", text: "You are a careful engineer." }] },
    {
      role: "user",
      parts: [{ type: "text", text: "Make all the tests pass, and touch nothing in vendor/." }],
    },
  ];
  for (let serial = 0; serial < count; serial++) {
    const asked: ToolCallPart = {
      type: "tool-call",
      id: `call-${serial}`,
      name: serial % 3 === 0 ? "bash" : "read",
      args: JSON.stringify({ path: `src/module-${serial % 40}.ts`, line: serial }),
    };
    const shown = Array.from(
      { length: 12 },
      (_, row) => `${row + 1}: export const value${serial}_${row} = ${serial * row};`,
    );
    messages.push(
      { role: "assistant", parts: [asked] },
      { role: "tool", parts: [answer(asked, shown.join("\n"))] },
    );
  }
  return messages;
}

/** Every hostile text once as a user message and once as an assistant message. */
export function hostileTalk(): Message[] {
  return HOSTILE_TEXTS.flatMap((body): Message[] => [
    { role: "user", parts: [{ type: "text", text: body }] },
    { role: "assistant", parts: [{ type: "text", text: body }] },
  ]);
}

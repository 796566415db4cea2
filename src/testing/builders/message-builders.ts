/** A call of a tool, as the builders take it. */
export interface CallSpec {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly id?: string;
}

/** An answer of a tool, as the builders take it. */
export interface ResultSpec {
  readonly id: string;
  readonly text: string;
  readonly name?: string;
}

/**
 * Writes messages of one dialect in few words. What one message is differs by format (parallel results are one
 * message for Anthropic and several for the others), so `calls`, `results` and `round` return lists.
 */
export interface MessageBuilders<M> {
  /** Chat and AI SDK; Anthropic takes it as `fit({ system })`, so the message form is for tests of `read`. */
  system(text: string): M;
  user(text: string): M;
  assistant(text: string): M;
  /** A user message with a picture, alone or behind a text. */
  image(text?: string, base64?: string): M;
  /** An assistant message with one call. The id defaults to `call_<name>`. */
  call(name: string, args?: CallSpec["args"], id?: string): M;
  /** Parallel calls. */
  calls(calls: readonly CallSpec[], text?: string): M[];
  result(id: string, text: string, name?: string): M;
  /** Answers to parallel calls, in the order given. */
  results(results: readonly ResultSpec[]): M[];
  /** One call and its answer. */
  round(name: string, args: CallSpec["args"], text: string, id?: string): M[];
  /** An assistant text with reasoning; `signature` makes it signed. */
  reasoning(thought: string, text: string, signature?: string): M[];
}

/** All builders of a dialect: one call, one result and a round of both are what `calls` and `results` make of one. */
export function completeBuilders<M>(
  own: Omit<MessageBuilders<M>, "call" | "result" | "round">,
): MessageBuilders<M> {
  const call: MessageBuilders<M>["call"] = (name, args = {}, id = callId({ name })) =>
    own.calls([{ name, args, id }])[0]!;
  const result: MessageBuilders<M>["result"] = (id, text, name) =>
    own.results([{ id, text, ...(name !== undefined && { name }) }])[0]!;
  return {
    ...own,
    call,
    result,
    round: (name, args, text, id = callId({ name })) => [call(name, args, id), result(id, text, name)],
  };
}

/** All builders of a dialect whose messages are lists of parts, from what its parts look like. */
export function partBuilders<M>(part: {
  image(base64: string): object;
  call(call: CallSpec & { readonly id: string }): object;
  result(result: ResultSpec): object;
  /** Who says results. */
  readonly resultRole: string;
  thought(text: string, signature: string | undefined): object;
}): MessageBuilders<M> {
  const said = (role: string, content: string | readonly object[]) => ({ role, content }) as M;
  const textPart = (text: string) => ({ type: "text", text });
  const textFirst = (text: string | undefined) => (text === undefined ? [] : [textPart(text)]);
  return completeBuilders({
    system: (text) => said("system", text),
    user: (text) => said("user", text),
    assistant: (text) => said("assistant", [textPart(text)]),
    image: (text, base64 = TINY_PNG) => said("user", [...textFirst(text), part.image(base64)]),
    calls: (calls, text) => [
      said("assistant", [
        ...textFirst(text),
        ...calls.map((call) => part.call({ ...call, id: callId(call) })),
      ]),
    ],
    results: (results) => [said(part.resultRole, results.map(part.result))],
    reasoning: (thought, text, signature) => [
      said("assistant", [part.thought(thought, signature), textPart(text)]),
    ],
  });
}

/** The id of a call; one that has none is known by its name. */
export const callId = (call: CallSpec): string => call.id ?? `call_${call.name}`;

/** A 1×1 PNG, so that builders need no file. */
export const TINY_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Marks a wire message as pinned. */
export function pin<M extends object>(message: M): M & { readonly precis: { readonly pin: true } } {
  return { ...message, precis: { pin: true } };
}

/** Marks a wire message as knowledge. */
export function knowledge<M extends object>(
  message: M,
): M & { readonly precis: { readonly knowledge: true } } {
  return { ...message, precis: { knowledge: true } };
}

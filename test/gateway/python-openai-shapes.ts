/**
 * Requests as the Python package `openai` writes them, by its documentation and that of httpx, which it sends with:
 * headers in lower case, `accept: application/json` for streams too, and messages that were answers before with all the
 * fields that the answer had.
 */

/** Headers of every request of the package. */
export function pythonHeaders(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    accept: "application/json",
    "accept-encoding": "gzip, deflate, br, zstd",
    connection: "keep-alive",
    "content-type": "application/json",
    "user-agent": "OpenAI/Python 2.9.0",
    "x-stainless-lang": "python",
    "x-stainless-package-version": "2.9.0",
    "x-stainless-os": "Linux",
    "x-stainless-arch": "x64",
    "x-stainless-runtime": "CPython",
    "x-stainless-runtime-version": "3.12.7",
    "x-stainless-async": "false",
    "x-stainless-retry-count": "0",
    "x-stainless-read-timeout": "600",
    authorization: "Bearer sk-python",
    ...more,
  };
}

/** httpx since 0.28: no spaces, letters as they are. */
export const compactJson = (body: unknown): string => JSON.stringify(body);

/** httpx before 0.28, and `json.dumps`: a space behind every comma and colon, everything beyond ASCII escaped. */
export function spacedJson(body: unknown): string {
  if (Array.isArray(body)) return `[${body.map(spacedJson).join(", ")}]`;
  if (typeof body === "object" && body !== null)
    return `{${Object.entries(body)
      .map(([key, value]) => `${ascii(key)}: ${spacedJson(value)}`)
      .join(", ")}}`;
  return typeof body === "string" ? ascii(body) : JSON.stringify(body);
}

function ascii(text: string): string {
  return JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What `tools=[…]` becomes, and `pydantic_function_tool`. */
export const pythonTools = [
  {
    type: "function",
    function: {
      name: "read_file",
      strict: true,
      parameters: {
        properties: { path: { title: "Path", type: "string" } },
        required: ["path"],
        title: "ReadFile",
        type: "object",
        additionalProperties: false,
      },
    },
  },
];

/** `messages.append(completion.choices[0].message)`: the answer comes back as a model with every field that it had. */
export function answeredMessage(answer: {
  readonly content: string | null;
  readonly tool_calls?: readonly unknown[];
}): object {
  return {
    content: answer.content,
    refusal: null,
    role: "assistant",
    annotations: [],
    ...(answer.tool_calls && { tool_calls: answer.tool_calls }),
  };
}

/** `message.model_dump()`: fields that the answer didn't have, too. */
export function dumpedMessage(answer: Parameters<typeof answeredMessage>[0]): object {
  return {
    content: answer.content,
    refusal: null,
    role: "assistant",
    annotations: null,
    audio: null,
    function_call: null,
    tool_calls: answer.tool_calls ?? null,
  };
}

type Event = Readonly<Record<string, unknown>>;

/**
 * What `client.responses.stream` puts together from events, and what its last event says: the types of the items. Throws where the
 * package does: it adds an item at the end when it is announced, and looks for it at its index afterwards.
 */
export function pythonResponse(events: readonly Event[]): {
  readonly snapshot: readonly unknown[];
  readonly completed: readonly unknown[];
} {
  const [first, ...rest] = events;
  if (first?.["type"] !== "response.created")
    throw new Error(`Expected to have received \`response.created\` before \`${String(first?.["type"])}\``);
  const snapshot: unknown[] = [];
  let completed: readonly unknown[] | undefined;
  for (const event of rest) {
    const { type, output_index: index, item, response } = event;
    if (type === "response.output_item.added") snapshot.push((item as Event)["type"]);
    else if (typeof index === "number" && snapshot[index] === undefined)
      throw new Error(`list index out of range: ${String(type)} at ${index}`);
    if (type === "response.completed")
      completed = ((response as Event)["output"] as readonly Event[]).map((one) => one["type"]);
  }
  if (completed === undefined) throw new Error("Didn't receive a `response.completed` event.");
  return { snapshot, completed };
}

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

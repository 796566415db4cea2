/** What a path of Gemini's API asks for: the model stands in it, and what to do. */
export interface GeminiPath {
  readonly model: string;
  readonly does: "generate" | "count";
  readonly streamed: boolean;
  /** Without `alt=sse` a stream is one JSON list that comes in pieces. */
  readonly form: "events" | "list";
}

const PATH = /^\/v1(?:beta|alpha)?\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

export function geminiPath(url: string): GeminiPath | undefined {
  const { pathname, searchParams } = new URL(url, "http://fake");
  const [, model, method] = PATH.exec(pathname) ?? [];
  if (model === undefined) return undefined;
  return {
    model: decodeURIComponent(model),
    does: method === "countTokens" ? "count" : "generate",
    streamed: method === "streamGenerateContent",
    form: searchParams.get("alt") === "sse" ? "events" : "list",
  };
}

/** How the AI SDK knows a JSON Schema. */
const AI_SDK_SCHEMA = Symbol.for("vercel.ai.schema");

/** A tool in the words of the APIs that take one. */
export interface ToolForms {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input. */
  readonly parameters: object;
  /** The tool in the shape of OpenAI's Chat Completions. */
  readonly openaiChat: object;
  /** The tool in the shape of OpenAI's Responses. */
  readonly openaiResponses: object;
  /** The tool in the shape of Anthropic's Messages. */
  readonly anthropicMessages: object;
  /** The tool in the shape of Gemini's `functionDeclarations`. */
  readonly geminiContents: object;
}

/** A tool of precis's own: its forms, and what answers its calls. */
export interface OwnTool<Input, Context> extends ToolForms {
  /** As the AI SDK takes it, among its `tools`. The function gives the transcript, which isn't what a step was sent. */
  aiSdk(context: () => Context): {
    readonly description: string;
    readonly inputSchema: object;
    execute(input: Input): Promise<string>;
  };
  /** Carries out a call, or says why not. The input is an object, or its JSON text. Never throws because of what a model wrote. */
  execute(input: unknown, context: Context): Promise<string>;
}

export function ownTool<Input, Context>(
  name: string,
  { description, parameters }: { readonly description: string; readonly parameters: object },
  execute: OwnTool<Input, Context>["execute"],
): OwnTool<Input, Context> {
  const described = { name, description };
  return {
    ...described,
    parameters,
    openaiChat: { type: "function", function: { ...described, parameters } },
    openaiResponses: { type: "function", ...described, parameters, strict: false },
    anthropicMessages: { ...described, input_schema: parameters },
    geminiContents: { ...described, parametersJsonSchema: parameters },
    aiSdk: (context) => ({
      description,
      inputSchema: { [AI_SDK_SCHEMA]: true, jsonSchema: parameters, validate: undefined, _type: undefined },
      execute: (input) => execute(input, context()),
    }),
    execute,
  };
}

/** What a model called a tool with: an object, or its JSON text. Undefined if it is neither. */
export function inputFields(input: unknown): Readonly<Record<string, unknown>> | undefined {
  let value = input;
  if (typeof input === "string") {
    try {
      // Some models call a tool that needs nothing with nothing.
      value = input.trim() === "" ? {} : (JSON.parse(input) as unknown);
    } catch {
      return undefined;
    }
  }
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

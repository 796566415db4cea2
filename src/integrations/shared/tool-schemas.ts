/** A tool of the AI SDK or of Mastra, as far as the wire carries it. */
interface SdkTool {
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  /** What Mastra calls it inside of a step. */
  readonly parameters?: unknown;
}

/** A schema in one of the ways in which libraries tell their JSON. */
interface SchemaLike {
  readonly jsonSchema?: unknown;
  readonly toJSONSchema?: unknown;
  readonly "~standard"?: { readonly jsonSchema?: { readonly input?: unknown } };
}

/** The tools of a call as the wire carries them, so that they can be counted. `tools` is what `generateText` takes. */
export async function toolSchemas(tools: unknown): Promise<readonly unknown[] | undefined> {
  if (typeof tools !== "object" || tools === null) return undefined;
  if (Array.isArray(tools)) return tools;
  return Promise.all(
    Object.entries(tools as Record<string, SdkTool>).map(
      async ([name, { description, inputSchema, parameters }]) => ({
        type: "function",
        name,
        description,
        parameters: await jsonSchemaOf(inputSchema ?? parameters),
      }),
    ),
  );
}

/** The JSON schema of `jsonSchema()`, of Zod 4, or of any library that follows Standard JSON Schema. */
export async function jsonSchemaOf(schema: unknown): Promise<unknown> {
  if (typeof schema === "function" && !("~standard" in schema)) return jsonSchemaOf(schema());
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return schema;
  const like = schema as SchemaLike;
  if (like.jsonSchema !== undefined) return like.jsonSchema;
  if (typeof like.toJSONSchema === "function") return like.toJSONSchema();
  const input = like["~standard"]?.jsonSchema?.input;
  if (typeof input === "function") return input({ target: "draft-2020-12" });
  // An older library: all that it keeps is more than the wire will carry, so the count is an upper bound.
  return boundOf(schema);
}

function boundOf(schema: unknown): string {
  const seen = new Set<unknown>();
  const text = JSON.stringify(schema, (_key, value: unknown) => {
    if (typeof value === "bigint") return `${value}`;
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return undefined;
    seen.add(value);
    return value;
  });
  return text ?? "";
}

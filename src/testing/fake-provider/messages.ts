import { messagesServed } from "../../apis/messages/server.ts";
import { isObject, type Json, obj, objects, str } from "../json.ts";
import {
  type Accepted,
  type Answer,
  type FakeEvent,
  type FakeWire,
  pieces,
  type WireRules,
} from "./fake-wire.ts";
import type { CacheUse } from "./prompt.ts";
import { reasoningFamilies } from "./reasoning-family.ts";
import { demand, demandRules, ProviderRefusal } from "./refusals.ts";
import { checkBinding, contentOf, isThinking, placed, sign } from "./thinking-binding.ts";
import type { FakeBody, FakeRequest } from "./types.ts";

const STOPS: Readonly<Record<Answer["stop"], string>> = {
  end: "end_turn",
  length: "max_tokens",
  window: "model_context_window_exceeded",
  refusal: "refusal",
  "content-filter": "refusal",
  "tool-call": "tool_use",
};
/** Models that refuse an answer's cap that doesn't fit behind the prompt; newer ones stop when the window is full. */
const REFUSES_LARGE_CAP = /claude-(?:[23]|(?:opus|sonnet)-4-[01]\b|(?:opus|sonnet)-4-2025)/;

/** Anthropic Messages. */
export const messagesWire: FakeWire = {
  api: messagesServed,
  callPrefix: "toolu_",
  speaksAsAnthropic: true,
  joinsRoles: true,
  // Changing these keeps tools and system in the cache, but not the messages.
  settings: ({ thinking, tool_choice }) => [thinking, tool_choice],

  refusal: ({ type, message }, request_id) => ({ type: "error", error: { type, message }, request_id }),

  accept(given, rules) {
    validateMessages(given, rules);
    const { headers, binding, family } = rules;
    if (family) reasoningFamilies[family].checkMessages?.(given);
    // Thoughts that no longer fit are left out; other providers' signatures are bound to nothing.
    const { body, transformations } = family
      ? { body: given, transformations: [] }
      : checkBinding(given, headers, binding);
    const thinks = ["enabled", "adaptive"].includes(str(obj(body["thinking"])["type"]));
    return { body, transformations, thinks, family };
  },

  tooLong(tokens, cap, { window }, body) {
    if (tokens > window)
      return new ProviderRefusal(`prompt is too long: ${tokens} tokens > ${window} maximum`);
    if (cap !== undefined && tokens + cap > window && REFUSES_LARGE_CAP.test(str(body["model"])))
      return new ProviderRefusal(
        `input length and \`max_tokens\` exceed context limit: ${tokens} + ${cap} > ${window}, decrease input length or \`max_tokens\` and try again`,
      );
    return undefined;
  },

  json(answer, use, request, accepted) {
    return {
      ...messageOf(answer, request, accepted),
      content: blocksOf(answer, accepted),
      stop_reason: STOPS[answer.stop],
      usage: usageOf(use, answer.outputTokens),
    };
  },

  events(answer, use, request, accepted) {
    const event = (data: Json & { type: string }): FakeEvent => ({ event: data.type, data });
    return [
      event({
        type: "message_start",
        message: {
          ...messageOf(answer, request, accepted),
          content: [],
          stop_reason: null,
          usage: usageOf(use, 1),
        },
      }),
      event({ type: "ping" }),
      ...blocksOf(answer, accepted).flatMap((block, index) => [
        event({ type: "content_block_start", index, content_block: openBlock(block) }),
        ...deltas(block).map((delta) => event({ type: "content_block_delta", index, delta })),
        event({ type: "content_block_stop", index }),
      ]),
      event({
        type: "message_delta",
        delta: { stop_reason: STOPS[answer.stop], stop_sequence: null },
        usage: usageOf(use, answer.outputTokens),
      }),
      event({ type: "message_stop" }),
    ];
  },
};

function messageOf(answer: Answer, request: FakeRequest, { transformations = [] }: Accepted): Json {
  return {
    id: `msg_${answer.id}`,
    type: "message",
    role: "assistant",
    model: request.model,
    stop_sequence: null,
    ...(transformations.length > 0 && { input_transformations: transformations }),
  };
}

function blocksOf(answer: Answer, { body, thinks, family }: Accepted): Json[] {
  const signature = family
    ? reasoningFamilies[family].signature?.(answer.reasoning)
    : sign(body, answer.reasoning);
  return [
    ...(thinks === true && answer.reasoning !== ""
      ? [{ type: "thinking", thinking: answer.reasoning, signature }]
      : []),
    ...(answer.text === "" ? [] : [{ type: "text", text: answer.text }]),
    ...answer.calls.map(({ id, name, args }) => ({
      type: "tool_use",
      id,
      name,
      input: JSON.parse(args) as unknown,
    })),
  ];
}

/** A part as it is announced: without its content. */
function openBlock(block: Json): Json {
  if (block["type"] === "text") return { type: "text", text: "" };
  if (block["type"] === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { ...block, input: {} };
}

function deltas(block: Json): Json[] {
  if (block["type"] === "text")
    return pieces(str(block["text"])).map((text) => ({ type: "text_delta", text }));
  if (block["type"] === "thinking")
    return [
      ...pieces(str(block["thinking"])).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: block["signature"] },
    ];
  const args = ["", ...pieces(JSON.stringify(block["input"]))];
  return args.map((partial_json) => ({ type: "input_json_delta", partial_json }));
}

function usageOf(use: CacheUse, output: number): Json {
  return {
    input_tokens: use.input - use.cacheRead - use.cacheWrite,
    cache_creation_input_tokens: use.cacheWrite,
    cache_read_input_tokens: use.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: use.cacheWrite - use.longWrite,
      ephemeral_1h_input_tokens: use.longWrite,
    },
    output_tokens: output,
    service_tier: "standard",
  };
}

const MAX_BREAKPOINTS = 4;
const MIN_THINKING_BUDGET = 1_024;
const DOCS =
  "Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking";
/** Models that think by themselves take no sampling settings. */
const WITHOUT_SAMPLING = /claude-(?:opus-4-[7-9]|(?:opus|sonnet|haiku|fable|mythos)-[5-9])/;

/** Models that take system messages among the others. */
const WITH_SYSTEM_MESSAGES = /claude-(?:opus-4-[89]|(?:opus|sonnet|haiku|fable|mythos)-[5-9])/;

/** Refuses what Anthropic Messages refuses. `count_tokens` has no `max_tokens`. */
function validateMessages(body: FakeBody, rules: WireRules): void {
  demand(typeof body["model"] === "string" && body["model"] !== "", "model: Field required");
  if (!rules.isCounted) checkCap(body, rules);
  const { messages } = body;
  demand(messages !== undefined, "messages: Field required");
  demand(Array.isArray(messages) && messages.every(isObject), "messages: Input should be a valid list");
  demand(messages.length > 0, "messages: at least one message is required");
  const list: readonly Json[] = messages;
  checkRoles(list, str(body["model"]), rules);
  checkContent(list);
  checkPairs(list);
  checkTools(body);
  checkThinking(body, list);
  checkBreakpoints(body, list);
}

function checkCap(body: FakeBody, rules: WireRules): void {
  const max = body["max_tokens"];
  demand(max !== undefined, "max_tokens: Field required");
  demand(Number.isInteger(max), "max_tokens: Input should be a valid integer");
  demand((max as number) >= 1, "max_tokens: Input should be greater than or equal to 1");
  demand(
    (max as number) <= rules.maxOutput,
    `max_tokens: ${max} > ${rules.maxOutput}, which is the maximum allowed number of output tokens for ${body["model"]}`,
  );
  const { temperature } = body;
  if (temperature === undefined) return;
  demand(!WITHOUT_SAMPLING.test(str(body["model"])), "`temperature` is deprecated for this model.");
  demand(typeof temperature === "number" && temperature >= 0 && temperature <= 1, "temperature: range: 0..1");
}

function checkRoles(messages: readonly Json[], model: string, rules: WireRules): void {
  // Newer models take system messages later on, others with a beta; elsewhere there is only the `system` field.
  const mayHaveSystem =
    WITH_SYSTEM_MESSAGES.test(model) ||
    (rules.headers["anthropic-beta"] ?? "").includes("mid-conversation-system");
  for (const [index, message] of messages.entries()) {
    const role = str(message["role"]);
    if (role === "system" && mayHaveSystem && index > 0) {
      checkSystemPlace(messages, index);
      continue;
    }
    demand(
      role !== "system",
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    );
    demand(
      role === "user" || role === "assistant",
      `messages.${index}.role: Input should be 'user' or 'assistant'`,
    );
    if (index > 0 && rules.alternation === "strict")
      demand(
        role !== messages[index - 1]?.["role"],
        `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
      );
  }
  demand(messages[0]?.["role"] === "user", 'messages: first message must use the "user" role');
}

/** Behind a message of the user or a tool of the server, and last or before an answer. */
function checkSystemPlace(messages: readonly Json[], index: number): void {
  const before = messages[index - 1]!;
  const afterServerTool =
    before["role"] === "assistant" && str(contentOf(before).at(-1)?.["type"]) === "server_tool_use";
  demand(
    before["role"] === "user" || before["role"] === "system" || afterServerTool,
    `messages.${index}: a system message must follow a user message or an assistant message that ends in server tool use`,
  );
  const next = messages[index + 1]?.["role"];
  demand(
    next === undefined || next === "assistant" || next === "system",
    `messages.${index}: a system message must be the last message or be followed by an assistant message`,
  );
}

function checkContent(messages: readonly Json[]): void {
  for (const [index, message] of messages.entries()) {
    const { content } = message;
    const isLastAssistant = index === messages.length - 1 && message["role"] === "assistant";
    demand(content !== undefined, `messages.${index}.content: Field required`);
    demand(
      typeof content === "string" || Array.isArray(content),
      `messages.${index}.content: Input should be a valid list`,
    );
    const isEmpty = typeof content === "string" ? content === "" : content.length === 0;
    demand(
      !isEmpty || isLastAssistant,
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
    for (const block of contentOf(message)) {
      if (block["type"] !== "text") continue;
      const text = str(block["text"]);
      demand(text !== "" || isLastAssistant, "messages: text content blocks must be non-empty");
      demand(
        text.trim() !== "" || isLastAssistant,
        "messages: text content blocks must contain non-whitespace text",
      );
      demand(
        !isLastAssistant || text === text.trimEnd(),
        "messages: final assistant content cannot end with trailing whitespace",
      );
    }
  }
}

/** Runs of messages of the same role are one message to the provider. */
function merged(messages: readonly Json[]): { role: unknown; first: number; parts: readonly Json[] }[] {
  const runs: { role: unknown; first: number; parts: readonly Json[] }[] = [];
  for (const [index, message] of messages.entries()) {
    const last = runs.at(-1);
    const parts = contentOf(message);
    if (last !== undefined && last.role === message["role"]) last.parts = [...last.parts, ...parts];
    else runs.push({ role: message["role"], first: index, parts });
  }
  return runs;
}

function checkPairs(messages: readonly Json[]): void {
  const runs = merged(messages);
  const seen = new Set<string>();
  for (const { first, parts } of runs)
    for (const { type, id } of parts) {
      demand(type !== "tool_use" || !seen.has(str(id)), `messages.${first}: \`tool_use\` ids must be unique`);
      if (type === "tool_use") seen.add(str(id));
    }
  const at = (run: number) => `messages.${runs[run]?.first}`;
  const callsOf = (run: number) =>
    (runs[run]?.parts ?? []).filter(({ type }) => type === "tool_use").map(({ id }) => str(id));
  const missing = (run: number, ids: readonly string[]) =>
    new ProviderRefusal(
      `${at(run)}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  const list = runs.map(({ role, parts }) => ({ role, content: parts }));
  demandRules("anthropic-messages", list, {
    "unanswered-call": missing,
    // Results come first: words before them end the place where they are looked for.
    "text-before-result": (run) => missing(run - 1, callsOf(run - 1)),
    "orphan-result": (run, [id]) => {
      const part = runs[run]?.parts.findIndex((block) => block["tool_use_id"] === id);
      return new ProviderRefusal(
        `${at(run)}.content.${part}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    },
    "second-result": (run, [id]) =>
      new ProviderRefusal(
        `${at(run)}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      ),
  });
}

function checkTools(body: FakeBody): void {
  const tools = objects(body["tools"]);
  demand(
    tools.length > 0 || body["tool_choice"] === undefined,
    "tool_choice may only be specified while providing tools.",
  );
  const names = tools.map((tool) => str(tool["name"]));
  demand(new Set(names).size === names.length, "tools: Tool names must be unique.");
  for (const [index, tool] of tools.entries()) {
    const isCustom = tool["type"] === undefined || tool["type"] === "custom";
    demand(str(tool["name"]) !== "", `tools.${index}.custom.name: Field required`);
    demand(!isCustom || isObject(tool["input_schema"]), `tools.${index}.custom.input_schema: Field required`);
  }
}

function checkThinking(body: FakeBody, messages: readonly Json[]): void {
  const thinking = obj(body["thinking"]);
  const isOn = thinking["type"] === "enabled";
  if (!isOn && thinking["type"] !== "adaptive") {
    checkNoThoughts(messages);
    return;
  }
  const { temperature, max_tokens: max } = body;
  demand(
    temperature === undefined || temperature === 1,
    `\`temperature\` may only be set to 1 when thinking is enabled. ${DOCS}`,
  );
  const choice = str(obj(body["tool_choice"])["type"]);
  demand(
    choice !== "any" && choice !== "tool",
    "Thinking may not be enabled when tool_choice forces tool use.",
  );
  if (!isOn) return;
  const budget = thinking["budget_tokens"];
  demand(typeof budget === "number", "thinking.enabled.budget_tokens: Field required");
  demand(
    budget >= MIN_THINKING_BUDGET,
    `thinking.enabled.budget_tokens: Input should be greater than or equal to ${MIN_THINKING_BUDGET}`,
  );
  demand(
    max === undefined || (max as number) > budget,
    `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. ${DOCS}#max-tokens-and-context-window-size`,
  );
  checkLoop(messages);
}

/** Inside a tool loop the assistant's turn must begin with the thought that it began with. */
function checkLoop(messages: readonly Json[]): void {
  const first = messages.findIndex(
    (message, index) => index >= loopStart(messages) && message["role"] === "assistant",
  );
  const block = contentOf(messages[first] ?? {})[0];
  demand(
    block === undefined || isThinking(block),
    `messages.${first}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${str(block?.["type"])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. ${DOCS}`,
  );
}

/** Without thinking, a tool loop must not hold thoughts. */
function checkNoThoughts(messages: readonly Json[]): void {
  const start = loopStart(messages);
  for (const { message, part, block } of placed(messages))
    demand(
      message < start || !isThinking(block),
      `messages.${message}.content.${part}: When thinking is disabled, an \`assistant\` message in the final position cannot contain \`${str(block["type"])}\`. To use thinking blocks, enable \`thinking\` in your request.`,
    );
}

/** Where the tool loop under way begins; the number of messages where the model isn't in one. */
function loopStart(messages: readonly Json[]): number {
  const isResults = (message: Json): boolean =>
    message["role"] === "user" && contentOf(message).some((block) => block["type"] === "tool_result");
  if (!isResults(messages.at(-1) ?? {})) return messages.length;
  return messages.findLastIndex((message) => message["role"] !== "assistant" && !isResults(message)) + 1;
}

function checkBreakpoints(body: FakeBody, messages: readonly Json[]): void {
  const marks = [
    ...objects(body["tools"]).map((block, index) => ({ path: `tools.${index}`, block })),
    ...objects(body["system"]).map((block, index) => ({ path: `system.${index}`, block })),
    ...placed(messages).map(({ message, part, block }) => ({
      path: `messages.${message}.content.${part}`,
      block,
    })),
  ].filter(({ block }) => block["cache_control"] != null);
  const total = marks.length + (body["cache_control"] == null ? 0 : 1);
  demand(
    total <= MAX_BREAKPOINTS,
    `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${total}.`,
  );
  let isShort = false;
  for (const { path, block } of marks) {
    const mark = obj(block["cache_control"]);
    demand(mark["type"] === "ephemeral", `${path}.cache_control.type: Input should be 'ephemeral'`);
    demand(!isThinking(block), `${path}.cache_control: Extra inputs are not permitted`);
    demand(
      block["type"] !== "text" || str(block["text"]) !== "",
      `${path}.cache_control: cache_control cannot be set for empty text blocks`,
    );
    const isLong = mark["ttl"] === "1h";
    demand(
      !isLong || !isShort,
      `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
    );
    isShort ||= !isLong;
  }
}

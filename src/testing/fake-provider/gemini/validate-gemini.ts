import { isObject, type Json, obj, objects, str } from "../../json.ts";
import { demandRules } from "../demand-rules.ts";
import { demand, ProviderRefusal } from "../provider-refusal.ts";
import type { FakeBody } from "../types.ts";
import { callOf, fieldsOf, isSigned, partsOf, responseOf } from "./parts.ts";

const BODY = new Set([
  ...["contents", "systemInstruction", "tools", "toolConfig", "safetySettings", "generationConfig"],
  ...["cachedContent", "labels", "serviceTier", "model"],
]);
const CONTENT = new Set(["role", "parts"]);
const PART = new Set([
  ...["text", "thought", "thoughtSignature", "inlineData", "fileData", "functionCall", "functionResponse"],
  ...[
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
    "videoMetadata",
    "mediaResolution",
  ],
  "partMetadata",
]);
/** Fields of a part that it can't be without. */
const DATA = [...PART].filter(
  (name) => !/^(?:thought|videoMetadata|mediaResolution|partMetadata)/.test(name),
);
/** Models that want the signatures of their calls back in the turn that is under way. */
const WANTS_SIGNATURES = /^gemini-(?:[3-9]|\d\d)/;

/** Refuses what Gemini refuses, in its words. */
export function validateGemini(body: FakeBody, model: string): void {
  refuseUnknown(body, BODY, "");
  const contents = fieldsOf(body)["contents"];
  const list = Array.isArray(contents) ? contents : [contents];
  demand(
    contents !== undefined && list.length > 0,
    "* GenerateContentRequest.contents: contents is not specified\n",
  );
  demand(list.every(isObject), "Invalid value at 'contents'");
  const messages = list as readonly Json[];
  checkContents(messages);
  checkCalls(messages);
  if (WANTS_SIGNATURES.test(model)) checkSignatures(messages);
}

function refuseUnknown(value: Json, known: ReadonlySet<string>, at: string): void {
  for (const name of Object.keys(fieldsOf(value)))
    demand(
      known.has(name),
      `Invalid JSON payload received. Unknown name "${name}"${at === "" ? "" : ` at '${at}'`}: Cannot find field.`,
    );
}

function checkContents(messages: readonly Json[]): void {
  for (const [index, message] of messages.entries()) {
    refuseUnknown(message, CONTENT, `contents[${index}]`);
    const role = message["role"] ?? "user";
    demand(
      role === "user" || role === "model" || role === "function",
      "Please use a valid role: user, model.",
    );
    const parts = partsOf(message);
    demand(
      parts.length > 0,
      `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`,
    );
    for (const [at, part] of parts.entries()) {
      const place = `contents[${index}].parts[${at}]`;
      refuseUnknown(part, PART, place);
      const fields = fieldsOf(part);
      demand(
        DATA.some((name) => fields[name] !== undefined) || isSigned(part),
        `* GenerateContentRequest.${place}.data: required oneof field 'data' must have one initialized field\n`,
      );
      const call = callOf(part) ?? responseOf(part);
      demand(
        call === undefined || str(call["name"]) !== "",
        `* GenerateContentRequest.${place}.function_call.name: Name cannot be empty.\n`,
      );
    }
  }
  const says = messages.some((message) =>
    partsOf(message).some((part) => str(part["text"]) !== "" || !("text" in part)),
  );
  demand(says, "Unable to submit request because it must have a text parameter.");
}

interface Step {
  readonly role: "user" | "model";
  readonly parts: Json[];
}

/** Runs of messages of the same role are one message to the provider: its own clients store streams in pieces. */
function merged(messages: readonly Json[]): Step[] {
  const steps: Step[] = [];
  for (const message of messages) {
    const role = message["role"] === "model" ? "model" : "user";
    const last = steps.at(-1);
    if (last?.role === role) last.parts.push(...partsOf(message));
    else steps.push({ role, parts: [...partsOf(message)] });
  }
  return steps;
}

function checkCalls(messages: readonly Json[]): void {
  const first = merged(messages)[0]?.parts.some((part) => callOf(part)) === true;
  demand(
    !first,
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
  );
  demandRules("gemini-contents", messages, {
    "orphan-result": () =>
      new ProviderRefusal(
        "Please ensure that function response turn comes immediately after a function call turn.",
      ),
    "unanswered-call": () =>
      new ProviderRefusal(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      ),
  });
}

/**
 * The turn that is under way begins with the last message of the user that isn't the answer of a function. Here messages count
 * as they were sent: a question right behind the answers of functions begins a turn, too.
 */
function checkSignatures(messages: readonly Json[]): void {
  const begin = messages.findLastIndex(
    (message) =>
      message["role"] !== "model" && partsOf(message).every((part) => responseOf(part) === undefined),
  );
  for (const [index, { parts }] of merged(messages.slice(begin + 1)).entries()) {
    const first = parts.find((part) => callOf(part));
    if (first === undefined) continue;
    const name = str(obj(callOf(first))["name"]);
    demand(
      isSigned(first),
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${merged(messages.slice(0, begin + 1)).length + index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
    );
  }
}

export function toolNames(body: FakeBody): string[] {
  return objects(body["tools"]).flatMap((tool) =>
    objects(fieldsOf(tool)["functionDeclarations"]).map((one) => str(one["name"])),
  );
}

import { isObject, type Json, objects, str } from "../../json.ts";
import type { WireRules } from "../fake-wire.ts";
import {
  checkAlternation,
  checkCap,
  checkTemperature,
  checkTools,
  demandGiven,
  demandType,
  refuseUnknown,
  requireModel,
} from "../openai-rules.ts";
import { demand, demandRules, ProviderRefusal } from "../provider-refusal.ts";
import type { FakeBody } from "../types.ts";

const MIN_CAP = 16;
const KNOWN = new Set(
  "model input instructions max_output_tokens temperature top_p tools tool_choice parallel_tool_calls previous_response_id conversation reasoning text truncation store metadata stream stream_options include user background prompt prompt_cache_key prompt_cache_retention prompt_cache_options safety_identifier service_tier max_tool_calls top_logprobs context_management client_metadata".split(
    " ",
  ),
);
/** How an item's id begins, by its type. */
const ID_PREFIX: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  custom_tool_call: "ctc",
  reasoning: "rs",
};

/** Refuses what Responses refuses in the fields beside the input. */
export function validateResponses(
  body: FakeBody,
  rules: Pick<WireRules, "unknownFields" | "maxOutput">,
): void {
  const model = requireModel(body);
  if (rules.unknownFields === "refuse") refuseUnknown(body, KNOWN, (name) => `Unknown parameter: '${name}'.`);
  const { input } = body;
  demandGiven(input !== undefined, "input");
  demandType(
    typeof input === "string" || Array.isArray(input),
    "input",
    "one of a string or array of input items",
    input,
  );
  checkTemperature(body, model);
  checkTools(body);
  const choice = body["tool_choice"];
  const name = typeof choice === "string" ? choice : str((choice as Json | undefined)?.["type"]);
  demand(
    objects(body["tools"]).length > 0 || name === "" || name === "auto" || name === "none",
    `Tool choice '${name}' must be specified with 'tools' parameter.`,
    { param: "tool_choice" },
  );
  const cap = checkCap(body, "max_output_tokens", MIN_CAP);
  demand(
    cap === undefined || cap <= rules.maxOutput,
    `Invalid 'max_output_tokens': integer above maximum value. Expected a value <= ${rules.maxOutput}, but got ${cap} instead.`,
    { param: "max_output_tokens", code: "integer_above_max_value" },
  );
}

/** Refuses what Responses refuses in the list of items. `needs` names the reasoning that an earlier item was made with. */
export function validateItems(
  items: readonly unknown[],
  needs: ReadonlyMap<string, string>,
  rules: Pick<WireRules, "alternation">,
): void {
  for (const [index, item] of items.entries()) checkItem(item, index);
  const list = items.filter(isObject);
  checkCalls(list);
  demandRules("openai-responses", list, {
    "dangling-reasoning": (at) =>
      new ProviderRefusal(
        `Item '${str(list[at]?.["id"])}' of type 'reasoning' was provided without its required following item.`,
        { param: "input" },
      ),
  });
  checkReasoning(list, needs);
  if (rules.alternation === "strict") checkAlternation("openai-responses", list);
}

function checkItem(item: unknown, index: number): void {
  const at = `input[${index}]`;
  demandType(isObject(item), at, "an input item", item);
  const type = str(item["type"]) || "message";
  const prefix = ID_PREFIX[type];
  const id = item["id"];
  demand(
    prefix === undefined || typeof id !== "string" || id.startsWith(prefix),
    `Invalid '${at}.id': '${id}'. Expected an ID that begins with '${prefix}'.`,
    { param: `${at}.id`, code: "invalid_value" },
  );
  if (type === "function_call")
    demandType(typeof item["arguments"] === "string", `${at}.arguments`, "a string", item["arguments"]);
  if (type !== "message") return;
  const role = str(item["role"]);
  demand(
    ["user", "assistant", "system", "developer"].includes(role),
    `Invalid value: '${role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
    { param: `${at}.role`, code: "invalid_value" },
  );
  demandGiven(item["content"] != null, `${at}.content`);
  const wanted =
    role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  for (const [number, part] of objects(item["content"]).entries())
    demand(
      wanted.includes(str(part["type"])),
      `Invalid value: '${str(part["type"])}'. Supported values are: ${wanted.map((name) => `'${name}'`).join(", ")}.`,
      { param: `${at}.content[${number}].type`, code: "invalid_value" },
    );
}

/** Calls and outputs belong together, wherever they stand, the call first. */
function checkCalls(items: readonly Json[]): void {
  const links = items.filter(({ type }) => /^(?:function|custom_tool)_call/.test(str(type)));
  const nameOf = (at: number) =>
    /^custom/.test(str(links[at]?.["type"])) ? "custom tool call" : "function call";
  const refusal = (text: string) => new ProviderRefusal(text, { param: "input" });
  demandRules("openai-responses", links, {
    "orphan-result": (at, [id]) => refusal(`No tool call found for ${nameOf(at)} output with call_id ${id}.`),
    "unanswered-call": (at, [id]) => refusal(`No tool output found for ${nameOf(at)} ${id}.`),
  });
}

/** What reasoning led to doesn't come without it. */
function checkReasoning(items: readonly Json[], needs: ReadonlyMap<string, string>): void {
  const ids = new Set(items.map((item) => str(item["id"])));
  for (const item of items) {
    const needed = needs.get(str(item["id"]));
    demand(
      needed === undefined || ids.has(needed),
      `Item '${str(item["id"])}' of type '${str(item["type"])}' was provided without its required 'reasoning' item: '${needed}'.`,
      { param: "input" },
    );
  }
}

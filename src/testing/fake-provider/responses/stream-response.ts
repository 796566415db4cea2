import { type Json, objects, str } from "../../json.ts";
import { pieces } from "../answer.ts";
import type { FakeEvent } from "../fake-wire.ts";

/** The events of a response, in the order in which OpenAI sends them. */
export function streamResponse(response: Json): FakeEvent[] {
  const events: FakeEvent[] = [];
  const emit = (type: string, fields: Json): void => {
    events.push({ event: type, data: { type, sequence_number: events.length, ...fields } });
  };
  const started = { ...response, status: "in_progress", output: [], usage: null, incomplete_details: null };
  emit("response.created", { response: started });
  emit("response.in_progress", { response: started });
  for (const [index, item] of objects(response["output"]).entries()) {
    const at = { output_index: index, item_id: item["id"] };
    emit("response.output_item.added", { output_index: index, item: opened(item) });
    if (item["type"] === "reasoning") emitReasoning(item, at, emit);
    else if (item["type"] === "message") emitMessage(item, at, emit);
    else emitCall(item, at, emit);
    emit("response.output_item.done", { output_index: index, item });
  }
  emit(`response.${str(response["status"])}`, { response });
  return events;
}

type Emit = (type: string, fields: Json) => void;

function opened(item: Json): Json {
  if (item["type"] === "reasoning") return { ...item, summary: [] };
  if (item["type"] === "message") return { ...item, status: "in_progress", content: [] };
  return { ...item, status: "in_progress", arguments: "" };
}

function emitReasoning(item: Json, at: Json, emit: Emit): void {
  for (const [index, part] of objects(item["summary"]).entries()) {
    const place = { ...at, summary_index: index };
    emit("response.reasoning_summary_part.added", { ...place, part: { type: "summary_text", text: "" } });
    for (const delta of pieces(str(part["text"])))
      emit("response.reasoning_summary_text.delta", { ...place, delta });
    emit("response.reasoning_summary_text.done", { ...place, text: part["text"] });
    emit("response.reasoning_summary_part.done", { ...place, part });
  }
}

function emitMessage(item: Json, at: Json, emit: Emit): void {
  for (const [index, part] of objects(item["content"]).entries()) {
    const place = { ...at, content_index: index };
    const isRefusal = part["type"] === "refusal";
    const text = str(isRefusal ? part["refusal"] : part["text"]);
    const name = isRefusal ? "response.refusal" : "response.output_text";
    emit("response.content_part.added", {
      ...place,
      part: { ...part, [isRefusal ? "refusal" : "text"]: "" },
    });
    for (const delta of pieces(text))
      emit(`${name}.delta`, { ...place, delta, ...(isRefusal ? {} : { logprobs: [] }) });
    emit(`${name}.done`, { ...place, ...(isRefusal ? { refusal: text } : { text, logprobs: [] }) });
    emit("response.content_part.done", { ...place, part });
  }
}

function emitCall(item: Json, at: Json, emit: Emit): void {
  for (const delta of pieces(str(item["arguments"])))
    emit("response.function_call_arguments.delta", { ...at, delta });
  emit("response.function_call_arguments.done", { ...at, name: item["name"], arguments: item["arguments"] });
}

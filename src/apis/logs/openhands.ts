import {
  areMostly,
  chatCall,
  contentText,
  type Fields,
  fieldsOf,
  isFields,
  isReadableText,
  listOf,
  textOf,
  timeOf,
} from "./fields.ts";
import {
  counted,
  createMessageList,
  createTwinFinder,
  type MessageList,
  type TwinFinder,
  warnOfOddLines,
} from "./message-list.ts";
import type { DocumentFormat, RecordFormat, TranscriptLog } from "./types.ts";

const isEvent = (value: unknown): value is Fields =>
  isFields(value) &&
  typeof value.source === "string" &&
  (typeof value.action === "string" || typeof value.observation === "string");

/** An OpenHands result file: `{ history: [events] }`. */
export const openhands: DocumentFormat = {
  matches: (value) => areMostly(listOf(value.history), isEvent),
  read: (value) =>
    readEvents(
      listOf(value.history).map((event, at) => ({ event, place: at + 1 })),
      "message",
      {
        id: textOf(value.instance_id),
        model: textOf(fieldsOf(fieldsOf(value.metadata).llm_config).model),
      },
    ),
};

/** An OpenHands event stream with one event per line. */
export const openhandsEvents: RecordFormat = {
  matches: isEvent,
  create() {
    const events: Placed[] = [];
    return {
      push: (event, place) => void events.push({ event, place }),
      end: () => readEvents(events, "line", {}),
    };
  },
};

/** An event, if it is one, and where it stands in the file. */
interface Placed {
  readonly event: unknown;
  readonly place: number;
}

/** Events that are between the program's own parts; the model never saw them as messages. */
const INTERNAL: ReadonlySet<unknown> = new Set([
  "recall",
  "change_agent_state",
  "agent_state_changed",
  "null",
  "condensation",
]);

/** Turns the events into Chat Completions messages; a model's answer that holds several calls is one message. */
function readEvents(
  events: readonly Placed[],
  places: "line" | "message",
  facts: { id?: string | undefined; model?: string | undefined },
): TranscriptLog {
  const list = createMessageList("openhands", places);
  // Each call of an answer is an event that repeats all of the answer.
  const answers = createTwinFinder();
  let tools: unknown;
  let model = facts.model;
  let internal = 0;
  for (const { event, place } of events) {
    if (!isEvent(event)) {
      list.unreadable(place);
      continue;
    }
    const time = timeOf(event.timestamp);
    const args = fieldsOf(event.args);
    if (event.action === "system") {
      list.add({ role: "system", content: contentText(args.content ?? event.message) }, time);
      tools ??= Array.isArray(args.tools) ? args.tools : undefined;
    } else if (INTERNAL.has(event.action) || INTERNAL.has(event.observation)) internal += 1;
    else if (event.action !== undefined)
      model = addAction(list, event, args, answers, { time, place }) ?? model;
    else addObservation(list, event, { time, place });
  }
  if (internal > 0)
    list.warn(`left out ${counted(internal, "event that isn't a message", "events that aren't messages")}`);
  warnOfOddLines(list, { twins: answers.twins() });
  return list.log({ dialect: "openai-chat", tools, model, id: facts.id });
}

/** When something was said, and where it stands in the file. */
interface At {
  readonly time: number | undefined;
  readonly place: number;
}

/** Adds what the model or the person said; returns the model's name when the event tells. */
function addAction(
  list: MessageList,
  event: Fields,
  args: Fields,
  answers: TwinFinder,
  { time, place }: At,
): string | undefined {
  const call = fieldsOf(event.tool_call_metadata);
  const response = fieldsOf(call.model_response);
  const answer = fieldsOf(fieldsOf(listOf(response.choices)[0]).message);
  if (listOf(answer.tool_calls).length > 0) {
    if (!answers.isNew(response.id, answer)) return undefined;
    const calls = listOf(answer.tool_calls).filter(isFields);
    if (calls.length < listOf(answer.tool_calls).length) list.unreadable(place);
    const toolCalls = calls.map((value) => {
      const fn = fieldsOf(value.function);
      return chatCall(textOf(value.id), fn.name, fn.arguments);
    });
    const content = answer.content === undefined ? null : answer.content;
    list.add({ role: "assistant", content, tool_calls: toolCalls }, time, place);
    return textOf(response.model);
  }
  const said = args.content ?? args.thought ?? event.message;
  const text = contentText(said);
  if (!isReadableText(said)) list.unreadable(place);
  if (text === "") return undefined;
  list.add({ role: event.source === "user" ? "user" : "assistant", content: text }, time);
  return undefined;
}

function addObservation(list: MessageList, event: Fields, { time, place }: At): void {
  const said = event.content ?? event.message;
  const content = contentText(said);
  if (!isReadableText(said)) list.unreadable(place);
  const id = textOf(fieldsOf(event.tool_call_metadata).tool_call_id);
  if (id !== undefined) list.add({ role: "tool", tool_call_id: id, content }, time);
  else if (content !== "") list.add({ role: "user", content }, time);
}

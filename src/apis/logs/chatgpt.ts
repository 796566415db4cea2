import { contentText, type Fields, fieldsOf, isFields, listOf, textOf, timeOf } from "./fields.ts";
import { branchTo, counted, createMessageList, warnOfOddLines } from "./message-list.ts";
import type { DocumentFormat } from "./types.ts";

const ROLES: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"]);

/**
 * A conversation of ChatGPT's data export: a tree of nodes (`mapping`); the branch that ends in `current_node` is read.
 * Its tools have no call ids, so what a tool answered is read as a user message that names the tool.
 */
export const chatgpt: DocumentFormat = {
  matches: (value) => isFields(value.mapping) && "current_node" in value,
  read(value) {
    const list = createMessageList("chatgpt");
    const nodes: Fields[] = Object.entries(fieldsOf(value.mapping)).map(([id, node]) => ({
      ...fieldsOf(node),
      id,
    }));
    const named = nodes.findIndex(({ id }) => id === value.current_node);
    const lines = nodes.map(({ id, parent }) => ({ id: textOf(id), parent: textOf(parent) ?? null }));
    const { places, broken } = branchTo(named < 0 ? nodes.length - 1 : named, lines);
    const said = places.flatMap((at) => messageIn(nodes[at]!) ?? []);
    const others = places.reduce((sum, at) => sum + partsWithoutText(nodes[at]!), 0);
    for (const { message, time } of said) list.add(message, time);
    if (said.length === 0) list.warn("the conversation holds no text");
    else if (named < 0)
      list.warn("the file doesn't say where the conversation ends; its last node was taken");
    if (others > 0) list.warn(`left out ${counted(others, "part")} without a text, such as an image`);
    const all = nodes.filter((node) => messageIn(node) !== undefined).length;
    warnOfOddLines(list, { broken, otherBranches: all - said.length });
    return list.log({
      dialect: "openai-chat",
      title: textOf(value.title),
      model: textOf(value.default_model_slug),
    });
  },
};

/** How many parts of a node's message are no text: images, files, sounds. */
function partsWithoutText(node: Fields): number {
  const message = fieldsOf(node.message);
  if (!ROLES.has(fieldsOf(message.author).role)) return 0;
  const parts = listOf(fieldsOf(message.content).parts);
  return parts.filter((part) => typeof part !== "string" && textOf(fieldsOf(part).text) === undefined).length;
}

function messageIn(
  node: Fields,
): { readonly message: Fields; readonly time: number | undefined } | undefined {
  const message = fieldsOf(node.message);
  const author = fieldsOf(message.author);
  const content = fieldsOf(message.content);
  const text = contentText(content.parts) || contentText(content.text);
  if (!ROLES.has(author.role) || text === "") return undefined;
  const isTool = author.role === "tool";
  const body = isTool ? `Result of ${textOf(author.name) ?? "a tool"}:\n${text}` : text;
  return {
    message: { role: isTool ? "user" : author.role, content: body },
    time: timeOf(message.create_time),
  };
}

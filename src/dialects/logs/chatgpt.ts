import { contentText, type Fields, fieldsOf, isFields, listOf, textOf, timeOf } from "./fields.ts";
import { createMessageList } from "./message-list.ts";
import type { DocumentFormat } from "./types.ts";

const ROLES: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"]);

/**
 * A conversation of ChatGPT's data export: a tree of nodes (`mapping`); the branch that ends in `current_node` is read.
 * Its tools have no call ids, so what a tool answered is read as a user message that names the tool.
 */
export const chatgpt: DocumentFormat = {
  source: "chatgpt",
  matches: (value) => isFields(value.mapping) && "current_node" in value,
  read(value) {
    const list = createMessageList("chatgpt");
    const nodes = fieldsOf(value.mapping);
    const path: Fields[] = [];
    const seen = new Set<unknown>();
    let id: unknown = value.current_node;
    while (typeof id === "string" && !seen.has(id)) {
      seen.add(id);
      const node = fieldsOf(nodes[id]);
      path.push(fieldsOf(node.message));
      id = node.parent;
    }
    for (const message of path.reverse()) {
      const author = fieldsOf(message.author);
      const content = fieldsOf(message.content);
      const text = contentText(content.parts) || contentText(content.text);
      if (!ROLES.has(author.role) || text === "") continue;
      const isTool = author.role === "tool";
      const body = isTool ? `Result of ${textOf(author.name) ?? "a tool"}:\n${text}` : text;
      list.add({ role: isTool ? "user" : author.role, content: body }, timeOf(message.create_time));
    }
    const missing = listOf(list.messages).length === 0;
    if (missing) list.warn("the conversation holds no text");
    return list.log({
      dialect: "openai-chat",
      title: textOf(value.title),
      model: textOf(value.default_model_slug),
    });
  },
};

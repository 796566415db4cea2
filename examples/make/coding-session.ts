/** Plays the coding session's script on a workspace, and writes down what was said. */

import { createHash } from "node:crypto";
import { halves, readScripts, type Step } from "./script.ts";
import { createWorkspace } from "./workspace.ts";

interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string | null; readonly tool_calls?: ToolCall[] }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

const ID_LENGTH = 24;

export function codingSession(folder: string): ChatMessage[] {
  const messages: ChatMessage[] = [];
  const workspace = createWorkspace();
  let agent: { text: string; calls: ToolCall[]; results: string[] } | undefined;
  let calls = 0;

  const flush = () => {
    if (!agent) return;
    const content = agent.text === "" ? null : agent.text;
    messages.push(
      agent.calls.length > 0
        ? { role: "assistant", content, tool_calls: agent.calls }
        : { role: "assistant", content },
    );
    for (const [i, call] of agent.calls.entries()) {
      messages.push({ role: "tool", tool_call_id: call.id, content: agent.results[i]! });
    }
    agent = undefined;
  };
  const tool = (step: Step, name: string, input: Record<string, unknown>, result: string) => {
    if (!agent) throw new Error(`${step.at}: a tool call outside of an agent's message`);
    calls += 1;
    const id = `call_${createHash("sha256").update(`waypost ${calls}`).digest("base64url").replace(/[-_]/g, "x").slice(0, ID_LENGTH)}`;
    agent.calls.push({ id, type: "function", function: { name, arguments: JSON.stringify(input) } });
    agent.results.push(result);
  };
  /** Edits of the same file, one after the other, are one call. */
  const edit = (step: Step, change: { old_text: string; new_text: string }, result: string) => {
    const last = agent?.calls.at(-1);
    const input = last && (JSON.parse(last.function.arguments) as { path: string; edits: unknown[] });
    if (!agent || last?.function.name !== "edit_file" || input?.path !== step.rest) {
      return tool(step, "edit_file", { path: step.rest, edits: [change] }, `Edited ${step.rest}.\n${result}`);
    }
    const edits = JSON.stringify({ path: step.rest, edits: [...input.edits, change] });
    agent.calls.push({ ...agent.calls.pop()!, function: { name: "edit_file", arguments: edits } });
    agent.results.push(`${agent.results.pop()!}\n${result}`);
  };

  const play = (step: Step) => {
    switch (step.name) {
      case "system":
      case "user":
        flush();
        messages.push({ role: step.name, content: step.body });
        return;
      case "agent":
        flush();
        agent = { text: step.body, calls: [], results: [] };
        return;
      case "read": {
        const [, path = "", from, to] = /^(\S+)(?: (\d+)-(\d+))?$/.exec(step.rest) ?? [];
        const range = from && to ? { start_line: Number(from), end_line: Number(to) } : {};
        const text = workspace.read(path, range.start_line, range.end_line);
        return tool(step, "read_file", { path, ...range }, text);
      }
      case "read!":
        return tool(step, "read_file", { path: step.rest }, step.body);
      case "write": {
        const content = `${step.body}\n`;
        return tool(step, "write_file", { path: step.rest, content }, workspace.write(step.rest, content));
      }
      case "edit": {
        const [old_text, new_text] = halves(step);
        const result = workspace.edit(step.rest, old_text, new_text);
        return edit(step, { old_text, new_text }, result);
      }
      case "edit!": {
        const [old_text, new_text] = halves(step);
        const result = `Error: old_text was not found in ${step.rest}. The file was not changed.`;
        return tool(step, "edit_file", { path: step.rest, edits: [{ old_text, new_text }] }, result);
      }
      case "search": {
        const [pattern = "", path = ""] = step.rest.split(" :: ");
        const found = workspace.search(pattern, path);
        return tool(step, "search", { pattern, ...(path ? { path } : {}) }, found);
      }
      case "run": {
        const output = step.body || (workspace.git(step.rest) ?? "(no output)");
        return tool(step, "run_command", { command: step.rest }, output);
      }
      case "run!":
        return tool(step, "run_command", { command: step.rest }, `${step.body}\n[exit code 1]`);
      // The rest happens outside of the conversation: the project as it was, and what a command changed.
      case "file":
        workspace.write(step.rest, `${step.body}\n`);
        return;
      case "patch":
        workspace.edit(step.rest, ...halves(step));
        return;
      case "replace":
        workspace.replaceAll(step.rest, ...halves(step));
        return;
      case "commit":
        workspace.commit(step.rest);
        return;
      default:
        throw new Error(`${step.at}: unknown step ${step.name}`);
    }
  };

  for (const step of readScripts(folder)) {
    try {
      play(step);
    } catch (cause) {
      throw new Error(`${step.at}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  }
  flush();
  return messages;
}

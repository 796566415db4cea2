import { describe, expect, it } from "vitest";
import { openaiResponses } from "./index.ts";

const { read, edit, write } = openaiResponses;

describe("openai-responses read", () => {
  it("reads messages with and without a type", () => {
    expect(read({ role: "developer", content: "be brief" })).toEqual({
      role: "system",
      parts: [{ type: "text", text: "be brief" }],
    });
    expect(
      read({
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "look" },
          { type: "input_image", detail: "high", image_url: "https://e.x/a.png" },
          { type: "input_file", filename: "a.pdf", file_id: "file-1" },
        ],
      }).parts,
    ).toEqual([
      { type: "text", text: "look" },
      { type: "image", source: "https://e.x/a.png", detail: "high" },
      { type: "file", name: "a.pdf", source: "file-1" },
    ]);
    expect(
      read({ type: "message", role: "assistant", content: [{ type: "refusal", refusal: "no" }] }).parts,
    ).toEqual([{ type: "text", text: "no" }]);
  });

  it("pairs calls with outputs by call_id, whatever the tool", () => {
    const calls = [
      { type: "function_call", id: "fc_1", call_id: "a", name: "read", arguments: "{}" },
      { type: "custom_tool_call", call_id: "b", name: "patch", input: "free" },
      { type: "local_shell_call", id: "ls_1", call_id: "c", action: { type: "exec", command: ["ls"] } },
      { type: "shell_call", call_id: "d", action: { commands: ["ls"] } },
      { type: "apply_patch_call", call_id: "e", operation: { type: "delete_file", path: "x" } },
      { type: "computer_call", id: "cc_1", call_id: "f", action: { type: "screenshot" } },
    ].map((item) => read(item).parts[0]);
    const outputs = [
      { type: "function_call_output", call_id: "a", output: "1" },
      { type: "custom_tool_call_output", call_id: "b", output: [{ type: "input_text", text: "2" }] },
      { type: "local_shell_call_output", id: "c", output: "3" },
      { type: "shell_call_output", call_id: "d", output: [{ stdout: "4", stderr: "oh", outcome: {} }] },
      { type: "apply_patch_call_output", call_id: "e", status: "failed", output: "5" },
      {
        type: "computer_call_output",
        call_id: "f",
        output: { type: "computer_screenshot", image_url: "https://e.x/s.png" },
      },
    ].map((item) => read(item).parts[0]);
    expect(calls.map((part) => part?.type === "tool-call" && part.id)).toEqual([
      "a",
      "b",
      "c",
      "d",
      "e",
      "f",
    ]);
    expect(outputs).toEqual([
      { type: "tool-result", id: "a", text: "1" },
      { type: "tool-result", id: "b", text: "2" },
      { type: "tool-result", id: "c", text: "3" },
      { type: "tool-result", id: "d", text: "4\noh" },
      { type: "tool-result", id: "e", text: "5", error: true },
      {
        type: "tool-result",
        id: "f",
        text: "",
        media: [{ type: "image", source: "https://e.x/s.png" }],
        locked: true,
      },
    ]);
  });

  it("reads what the provider ran as a locked call with its result, so that no call looks open", () => {
    const items = [
      { type: "web_search_call", id: "ws", action: { type: "search", query: "q" } },
      { type: "file_search_call", id: "fs", queries: ["q"], results: [{ text: "found" }] },
      { type: "code_interpreter_call", id: "ci", code: "1+1", outputs: [{ type: "logs", logs: "2" }] },
      { type: "image_generation_call", id: "ig", result: "AAAA" },
      { type: "mcp_call", id: "mc", name: "ask", server_label: "s", arguments: "{}", output: "answer" },
    ];
    for (const item of items) {
      const { role, parts } = read(item);
      expect(role).toBe("assistant");
      expect(parts.map((part) => part.type)).toEqual(["tool-call", "tool-result"]);
      expect(parts.every((part) => "id" in part && part.id === item.id && part.locked === true)).toBe(true);
    }
  });

  it("reads an approval as a call and its result, and what ran then as a part of their round", () => {
    const request = {
      type: "mcp_approval_request",
      id: "mcpr",
      name: "ask",
      server_label: "s",
      arguments: "{}",
    };
    const response = { type: "mcp_approval_response", approval_request_id: "mcpr", approve: true };
    const ran = { type: "mcp_call", id: "mc", name: "ask", arguments: "{}", approval_request_id: "mcpr" };
    const { type, id, ...asked } = request;
    expect(read(request)).toEqual({
      role: "assistant",
      parts: [{ type: "tool-call", id: "mcpr", name: type, args: JSON.stringify(asked), locked: true }],
    });
    expect(read(response)).toEqual({
      role: "tool",
      parts: [{ type: "tool-result", id, text: '{"approve":true}', locked: true }],
    });
    expect(read(ran).follows).toBe("mcpr");
    expect(read({ ...ran, approval_request_id: null })).not.toHaveProperty("follows");
  });

  it("reads encrypted reasoning as signed", () => {
    expect(
      read({
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "short" }],
        encrypted_content: "ABCDEFGH",
      }),
    ).toEqual({ role: "assistant", parts: [{ type: "reasoning", text: "AB", signed: true }] });
    expect(
      read({ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "short" }] }).parts,
    ).toEqual([{ type: "reasoning", text: "short", signed: false }]);
  });

  it("lets through what it doesn't know", () => {
    for (const item of [
      { type: "item_reference", id: "msg_1" },
      { id: "msg_1" },
      { type: "compaction", encrypted_content: "x" },
      { type: "mcp_list_tools", id: "m", server_label: "s", tools: [] },
      { type: "mcp_approval_response", approve: true },
      { type: "something_new", text: "?" },
    ]) {
      expect(read(item).parts).toEqual([
        { type: "other", kind: item.type ?? "item_reference", json: JSON.stringify(item) },
      ]);
    }
  });

  it("says what it expected and what it found", () => {
    expect(() => read({ text: "x" } as never)).toThrow(/`type` or a `role`.*text/);
    expect(() => read({ role: "tool", content: "x" })).toThrow(
      /one of system, developer, user, assistant, found "tool"/,
    );
    expect(() => read({ type: "function_call", name: "f", arguments: "{}" })).toThrow(/call_id/);
  });
});

describe("openai-responses edit", () => {
  it("keeps ids and cache markers, and clears what points into the old text", () => {
    const item = {
      type: "message",
      role: "assistant",
      id: "msg_1",
      phase: "final_answer",
      content: [
        { type: "output_text", text: "long", annotations: [{ type: "url_citation" }], logprobs: [{}] },
        { type: "output_text", text: "b" },
      ],
    };
    const next = edit(item, [{ type: "replace", part: 0, text: "cut", why: "hard-cut" }]);
    expect(next).toEqual({
      ...item,
      content: [{ type: "output_text", text: "cut", annotations: [], logprobs: [] }, item.content[1]],
    });
    expect((next.content as unknown[])[1]).toBe(item.content[1]);
  });

  it("fits new arguments into the shape that the API demands", () => {
    const shell = {
      type: "local_shell_call",
      call_id: "a",
      action: { type: "exec", command: ["ls"], env: {} },
    };
    expect(edit(shell, [{ type: "replace", part: 0, text: "cut", why: "hard-cut" }]).action).toEqual({
      type: "exec",
      command: ["cut"],
      env: {},
    });
    expect(
      edit(shell, [{ type: "replace", part: 0, text: '{"command":["a","b"]}', why: "hard-cut" }]).action,
    ).toEqual({ type: "exec", command: ["a", "b"], env: {} });
    const call = { type: "function_call", call_id: "a", name: "f", arguments: "{}" };
    expect(edit(call, [{ type: "replace", part: 0, text: "{", why: "hard-cut" }]).arguments).toBe(
      '{"text":"{"}',
    );
  });

  it("replaces outputs, and puts text where a picture stood", () => {
    const shell = {
      type: "shell_call_output",
      call_id: "d",
      output: [{ stdout: "a", stderr: "b", outcome: { type: "exit", exit_code: 2 } }],
    };
    expect(edit(shell, [{ type: "replace", part: 0, text: "cut", why: "large-result" }]).output).toEqual([
      { stdout: "cut", stderr: "", outcome: { type: "exit", exit_code: 2 } },
    ]);
    const image = { role: "user", content: [{ type: "input_image", detail: "low", image_url: "u" }] };
    expect(edit(image, [{ type: "replace", part: 0, text: "[image]", why: "old-image" }]).content).toEqual([
      { type: "input_text", text: "[image]" },
    ]);
  });

  it("refuses what the provider ran or demands", () => {
    const search = { type: "web_search_call", id: "ws", action: {} };
    const screen = { type: "computer_call_output", call_id: "f", output: { type: "computer_screenshot" } };
    for (const item of [search, screen]) {
      expect(() => edit(item, [{ type: "replace", part: 0, text: "x", why: "hard-cut" }])).toThrow(
        /can't be edited/,
      );
    }
  });

  it("sends an item whose reasoning has left as a new one: its id would demand the reasoning", () => {
    const call = { type: "function_call", id: "fc_1", call_id: "a", name: "f", arguments: "{}" };
    const next = edit(call, [{ type: "strip-reasoning", why: "old-reasoning" }]);
    expect(next).toEqual({ type: "function_call", call_id: "a", name: "f", arguments: "{}" });
    expect(edit(next, [{ type: "strip-reasoning", why: "old-reasoning" }])).toBe(next);
  });

  it("appends to instructions as text", () => {
    const add = [{ type: "append", text: "summary", why: "summary" }] as const;
    expect(edit({ role: "system", content: "be brief" }, add)).toEqual({
      role: "system",
      content: "be brief\n\nsummary",
    });
    expect(edit({ type: "function_call_output", call_id: "a", output: "1" }, add).output).toBe(
      "1\n\nsummary",
    );
  });

  it("writes the content type that each role may use", () => {
    expect(write({ role: "system", text: "s" })).toEqual({
      type: "message",
      role: "developer",
      content: [{ type: "input_text", text: "s" }],
    });
    // A list of what the assistant said would need an id of the API's.
    expect(write({ role: "assistant", text: "a" }).content).toBe("a");
  });
});

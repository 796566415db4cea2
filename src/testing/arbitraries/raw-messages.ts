import { TINY_PNG } from "../builders.ts";

const said = (role: string, ...content: readonly object[]) => ({ role, content });
const toolResult = (toolCallId: string, toolName: string, output: object) =>
  said("tool", { type: "tool-result", toolCallId, toolName, output });

/**
 * Rare but real forms of wire messages, by dialect: each has been sent by some client or returned by some provider.
 * They are spliced into generated transcripts, so that most of them are orphans there.
 */
export const RAW_MESSAGES: Readonly<Record<string, readonly object[]>> = {
  "openai-chat": [
    { role: "assistant", content: null },
    { role: "assistant", content: "", tool_calls: [] },
    {
      role: "assistant",
      tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "" } }],
    },
    { role: "assistant", content: [{ type: "refusal", refusal: "I can't help with that." }] },
    { role: "assistant", content: null, refusal: "No." },
    { role: "assistant", content: "hm", reasoning_content: "Let me think about this for a while." },
    {
      role: "assistant",
      content: "signed",
      reasoning_details: [{ type: "reasoning.encrypted", data: "c2lnbmF0dXJl" }],
    },
    { role: "assistant", content: null, function_call: { name: "read", arguments: '{"path":"a"}' } },
    { role: "function", name: "read", content: "legacy result" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c2", type: "custom", custom: { name: "apply_patch", input: "*** Begin Patch" } }],
    },
    { role: "tool", tool_call_id: "nobody-asked", content: "orphan" },
    {
      role: "tool",
      tool_call_id: "c1",
      content: [
        { type: "text", text: "parts" },
        { type: "text", text: "twice" },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "" },
    { role: "developer", content: "Answer in French from now on." },
    { role: "system", content: "A system message in the middle." },
    { role: "user", content: "" },
    { role: "user", content: [] },
    { role: "user", content: [{ type: "text", text: "" }] },
    { role: "user", name: "bob", content: "a named user" },
    { role: "user", content: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }] },
    { role: "user", content: [{ type: "file", file: { file_id: "file-1" } }] },
    { role: "user", content: [{ type: "hologram", payload: { a: 1 } }] },
    {
      role: "user",
      content: [{ type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } }],
    },
    { role: "user", content: "pinned", precis: { pin: true } },
    { role: "user", content: "known", precis: { knowledge: true } },
  ],
  "openai-responses": [
    { role: "user", content: "easy form" },
    { role: "assistant", content: "easy answer" },
    { role: "developer", content: "Answer in French from now on." },
    { type: "message", role: "user", content: [] },
    { type: "message", role: "user", content: [{ type: "input_file", file_id: "file-1" }] },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "with id", annotations: [] }],
    },
    { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
    { type: "reasoning", id: "rs_1", summary: [] },
    {
      type: "reasoning",
      id: "rs_2",
      summary: [{ type: "summary_text", text: "I looked." }],
      encrypted_content: "gAAAA",
    },
    { type: "item_reference", id: "msg_9" },
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "precis" } },
    { type: "image_generation_call", id: "ig_1", status: "completed", result: TINY_PNG },
    { type: "function_call", id: "fc_1", call_id: "c1", name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "parts" }] },
    { type: "function_call_output", call_id: "nobody-asked", output: "orphan" },
    { type: "custom_tool_call", call_id: "patch-1", name: "apply_patch", input: "*** Begin Patch" },
    { type: "custom_tool_call_output", call_id: "patch-1", output: "Done!" },
    {
      type: "local_shell_call",
      id: "ls_1",
      call_id: "shell-1",
      status: "completed",
      action: { type: "exec", command: ["ls"], env: {} },
    },
    { type: "local_shell_call_output", call_id: "shell-1", output: "README.md" },
    { type: "compaction", encrypted_content: "gAAAA" },
    { type: "hologram", payload: { a: 1 } },
    {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "pinned" }],
      precis: { pin: true },
    },
  ],
  "anthropic-messages": [
    { role: "user", content: "" },
    { role: "user", content: [] },
    { role: "assistant", content: [] },
    { role: "assistant", content: "plain" },
    { role: "user", content: [{ type: "text", text: "cached", cache_control: { type: "ephemeral" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c1" }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "nobody-asked", content: "orphan", is_error: true }],
    },
    said(
      "user",
      { type: "text", text: "before" },
      { type: "tool_result", tool_use_id: "c1", content: "late" },
    ),
    said("user", {
      type: "tool_result",
      tool_use_id: "c2",
      content: [
        { type: "text", text: "a picture" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: TINY_PNG } },
      ],
    }),
    { role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: "sig" }] },
    said("assistant", { type: "redacted_thinking", data: "xxxx" }, { type: "text", text: "so" }),
    said(
      "assistant",
      { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "precis" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srv_1",
        content: [
          { type: "web_search_result", url: "https://example.com", title: "t", encrypted_content: "e" },
        ],
      },
      { type: "text", text: "found" },
    ),
    said(
      "assistant",
      { type: "mcp_tool_use", id: "mcp_1", name: "echo", server_name: "s", input: {} },
      {
        type: "mcp_tool_result",
        tool_use_id: "mcp_1",
        is_error: false,
        content: [{ type: "text", text: "hi" }],
      },
    ),
    said(
      "assistant",
      { type: "tool_use", id: "c1", name: "read", input: {} },
      { type: "tool_use", id: "c1", name: "read", input: {} },
    ),
    said("user", {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "A document." },
    }),
    { role: "user", content: [{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }] },
    { role: "user", content: [{ type: "hologram", payload: { a: 1 } }] },
    { role: "user", content: "pinned", precis: { pin: true } },
  ],
  "ai-sdk": [
    { role: "user", content: "" },
    { role: "user", content: [] },
    { role: "assistant", content: [] },
    { role: "assistant", content: "plain" },
    { role: "system", content: "A system message in the middle." },
    { role: "user", content: [{ type: "file", data: TINY_PNG, mediaType: "image/png" }] },
    { role: "user", content: [{ type: "image", image: "https://example.com/a.png" }] },
    { role: "user", content: [{ type: "hologram", payload: { a: 1 } }] },
    { role: "assistant", content: [{ type: "reasoning", text: "Hm." }] },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a" } }],
    },
    { role: "tool", content: [] },
    toolResult("c1", "read", { type: "json", value: { rows: [1, 2] } }),
    toolResult("c1", "read", { type: "error-text", value: "ENOENT" }),
    toolResult("nobody-asked", "read", { type: "content", value: [{ type: "text", text: "orphan" }] }),
    toolResult("c2", "bash", { type: "execution-denied", reason: "no" }),
    said(
      "assistant",
      { type: "tool-call", toolCallId: "p1", toolName: "web_search", input: {}, providerExecuted: true },
      { type: "tool-result", toolCallId: "p1", toolName: "web_search", output: { type: "json", value: [] } },
      { type: "text", text: "found" },
    ),
    said(
      "assistant",
      { type: "tool-call", toolCallId: "c3", toolName: "bash", input: { command: "rm" } },
      { type: "tool-approval-request", approvalId: "ap1", toolCallId: "c3" },
    ),
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: "ap1", approved: false }] },
    { role: "user", content: "pinned", precis: { pin: true } },
  ],
  "gemini-contents": [
    { parts: [{ text: "no role" }] },
    { role: "user", parts: [] },
    { role: "user", parts: [{ text: "" }] },
    { role: "user", parts: { text: "one part alone" } },
    { role: "model", parts: [] },
    { role: "model", parts: [{ text: "plain" }] },
    { role: "model", parts: [{ text: "Let me think.", thought: true }, { text: "So." }] },
    { role: "model", parts: [{ text: "Let me think.", thought: true, thoughtSignature: "c2ln" }] },
    { role: "model", parts: [{ text: "" }, { text: "", thoughtSignature: "c2ln" }] },
    { role: "model", parts: [{ text: "signed text", thoughtSignature: "c2ln" }] },
    {
      role: "model",
      parts: [
        { functionCall: { name: "read", args: { path: "a" } }, thoughtSignature: "c2ln" },
        { functionCall: { name: "read", args: { path: "b" } } },
      ],
    },
    { role: "model", parts: [{ functionCall: { id: "c1", name: "read", args: {} } }] },
    {
      role: "model",
      parts: [{ functionCall: { name: "bash" }, thoughtSignature: "skip_thought_signature_validator" }],
    },
    { role: "model", parts: [{ function_call: { name: "read", args: {} }, thought_signature: "c2ln" }] },
    { role: "user", parts: [{ functionResponse: { name: "read", response: { output: "one" } } }] },
    { role: "user", parts: [{ functionResponse: { id: "c1", name: "read", response: { rows: [1, 2] } } }] },
    {
      role: "function",
      parts: [{ function_response: { name: "read", response: { content: "old client" } } }],
    },
    { role: "user", parts: [{ functionResponse: { name: "nobody_asked", response: { error: "orphan" } } }] },
    {
      role: "user",
      parts: [
        {
          functionResponse: {
            id: "c1",
            name: "read",
            response: { output: "a picture" },
            parts: [{ inlineData: { mimeType: "image/png", data: TINY_PNG } }],
          },
        },
        { text: "and a word" },
      ],
    },
    {
      role: "model",
      parts: [
        { executableCode: { language: "PYTHON", code: "print(1)" }, thoughtSignature: "c2ln" },
        { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
        { text: "It is 1." },
      ],
    },
    { role: "user", parts: [{ inline_data: { mime_type: "audio/wav", data: "AAAA" } }, { text: "listen" }] },
    {
      role: "user",
      parts: [
        {
          fileData: { fileUri: "https://example.com/a.mp4", mimeType: "video/mp4" },
          videoMetadata: { fps: 1 },
        },
      ],
    },
    { role: "user", parts: [{ hologram: { a: 1 } }] },
    { role: "user", parts: [{ text: "pinned" }], precis: { pin: true } },
  ],
};

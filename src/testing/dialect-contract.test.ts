import { aiSdk, anthropicMessages, geminiContents, openaiChat, openaiResponses } from "../apis/index.ts";
import { describeDialect } from "./dialect-contract.ts";

/** A picture of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describeDialect({
  name: "openai-chat",
  dialect: openaiChat,
  samples: [
    { role: "system", content: "You are helpful." },
    { role: "developer", content: [{ type: "text", text: "Be brief." }] },
    {
      role: "user",
      name: "ann",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}`, detail: "low" } },
        { type: "file", file: { file_id: "file-1", filename: "a.pdf" } },
      ],
    },
    { role: "assistant", content: "A dot.", reasoning_content: "Looks like a dot." },
    { role: "user", content: "Read both files." },
    {
      role: "assistant",
      content: "Reading.",
      reasoning_details: [{ type: "reasoning.text", text: "Two calls.", signature: "s" }],
      tool_calls: [
        { id: "a1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
        { id: "a2", type: "function", function: { name: "read", arguments: '{"path":"b"}' } },
        { id: "a3", type: "custom", custom: { name: "patch", input: "free text" } },
      ],
    },
    { role: "tool", tool_call_id: "a1", content: "first file" },
    { role: "tool", tool_call_id: "a2", content: [{ type: "text", text: "second file" }] },
    { role: "tool", tool_call_id: "a3", content: "patched" },
    { role: "assistant", content: null, refusal: "I can't do that." },
    { role: "user", content: "And this?" },
    { role: "assistant", content: [{ type: "thinking", thinking: "Hm." }] as never, tool_calls: [] },
    { role: "user", content: "Go on." },
  ],
});

describeDialect({
  name: "openai-responses",
  dialect: openaiResponses,
  samples: [
    { role: "developer", content: "Be brief." },
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "What is this?" },
        { type: "input_image", detail: "low", image_url: `data:image/png;base64,${PNG}` },
        { type: "input_file", filename: "a.pdf", file_id: "file-1" },
      ],
    },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "QUJDREVGR0g=" },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "A dot.", annotations: [] }],
    } as never,
    { role: "user", content: "Read them." },
    { type: "reasoning", id: "rs_2", summary: [{ type: "summary_text", text: "Two calls." }] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Reading." }] },
    { type: "function_call", call_id: "a1", name: "read", arguments: '{"path":"a"}' },
    { type: "custom_tool_call", call_id: "a2", name: "patch", input: "free text" },
    { type: "local_shell_call", id: "ls", call_id: "a3", action: { type: "exec", command: ["ls"], env: {} } },
    {
      type: "function_call_output",
      call_id: "a1",
      output: [
        { type: "input_text", text: "first file" },
        { type: "input_image", detail: "auto", image_url: "https://example.com/a.png" },
      ],
    },
    { type: "custom_tool_call_output", call_id: "a2", output: "patched" },
    { type: "local_shell_call_output", call_id: "a3", output: "a b c" },
    {
      type: "web_search_call",
      id: "ws_1",
      action: { type: "search", query: "dots" },
      status: "completed",
    } as never,
    {
      type: "mcp_call",
      id: "mcp_1",
      name: "ask",
      server_label: "s",
      arguments: "{}",
      output: "answered",
    } as never,
    { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "I can't do that." }] },
    { type: "item_reference", id: "msg_9" },
    { role: "user", content: "Go on." },
  ],
});

describeDialect({
  name: "anthropic-messages",
  dialect: anthropicMessages,
  samples: [
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?", cache_control: { type: "ephemeral" } },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
        {
          type: "document",
          title: "Notes",
          source: { type: "text", media_type: "text/plain", data: "Some notes." },
        },
        {
          type: "search_result",
          source: "https://example.com",
          title: "T",
          content: [{ type: "text", text: "x" }],
        },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Looks like a dot.", signature: "s" },
        { type: "text", text: "A dot. Reading." },
        { type: "redacted_thinking", data: "QUJDREVGR0g=" },
        { type: "tool_use", id: "a1", name: "read", input: { path: "a" } },
        { type: "tool_use", id: "a2", name: "read", input: { path: "b" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a1", content: "first file", is_error: true },
        {
          type: "tool_result",
          tool_use_id: "a2",
          content: [
            { type: "text", text: "second file" },
            { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
          ],
          cache_control: { type: "ephemeral" },
        },
        { type: "text", text: "Also look it up." },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Searching." },
        { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "dots" } },
        { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
        { type: "mcp_tool_use", id: "m1", name: "ask", server_name: "s", input: {} } as never,
        { type: "mcp_tool_result", tool_use_id: "m1", content: "answered" },
        { type: "text", text: "Found." },
        { type: "container_upload", file_id: "file_1" } as never,
      ],
    },
    { role: "system", content: "Be brief from now on." },
    { role: "user", content: "And?" },
    { role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: "" }] },
    { role: "user", content: "Go on." },
  ],
});

describeDialect({
  name: "ai-sdk",
  dialect: aiSdk,
  samples: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image", image: PNG, mediaType: "image/png" },
        { type: "image", image: new Uint8Array([1, 2, 3]) },
        { type: "file", data: "https://example.com/a.pdf", mediaType: "application/pdf", filename: "a.pdf" },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Looks like a dot." },
        { type: "text", text: "A dot. Reading." },
        { type: "reasoning", text: "", providerOptions: { openai: { reasoningEncryptedContent: "QUJD" } } },
        { type: "tool-call", toolCallId: "a1", toolName: "read", input: { path: "a" } },
        { type: "tool-call", toolCallId: "a2", toolName: "read", input: { path: "b" } },
        { type: "tool-call", toolCallId: "s1", toolName: "search", input: {}, providerExecuted: true },
        {
          type: "tool-result",
          toolCallId: "s1",
          toolName: "search",
          output: { type: "text", value: "found" },
        },
      ],
      providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "a1",
          toolName: "read",
          output: { type: "text", value: "first file" },
        },
        {
          type: "tool-result",
          toolCallId: "a2",
          toolName: "read",
          output: {
            type: "content",
            value: [
              { type: "text", text: "second file" },
              { type: "image-data", data: PNG, mediaType: "image/png" },
            ],
          },
        },
        { type: "tool-approval-response", approvalId: "p", approved: true },
      ],
    },
    { role: "assistant", content: "Done." },
    { role: "user", content: "And?" },
    { role: "assistant", content: [{ type: "reasoning", text: "Hm." }] },
    { role: "user", content: "Go on." },
  ],
});

describeDialect({
  name: "gemini-contents",
  dialect: geminiContents,
  samples: [
    {
      role: "user",
      parts: [
        { text: "What is this?" },
        { inlineData: { mimeType: "image/png", data: PNG } },
        { fileData: { fileUri: "https://example.com/a.pdf", mimeType: "application/pdf" } },
      ],
    },
    {
      role: "model",
      parts: [
        { text: "Looks like a dot.", thought: true },
        { text: "A dot.", thoughtSignature: "c2ln" },
      ],
    },
    { role: "user", parts: [{ text: "Read both files." }] },
    {
      role: "model",
      parts: [
        { text: "Reading." },
        { functionCall: { id: "a1", name: "read", args: { path: "a" } }, thoughtSignature: "c2ln" },
        { functionCall: { id: "a2", name: "read", args: { path: "b" } } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "a1", name: "read", response: { output: "content of a" } } },
        { functionResponse: { id: "a2", name: "read", response: { error: "no such file" } } },
      ],
    },
    {
      role: "model",
      parts: [
        { executableCode: { language: "PYTHON", code: "print(1)" } },
        { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
        { function_call: { id: "a3", name: "look", args: {} }, thought_signature: "c2ln" },
      ],
    },
    {
      role: "user",
      parts: [
        {
          function_response: {
            id: "a3",
            name: "look",
            response: { rows: [1, 2] },
            parts: [{ inline_data: { mime_type: "image/png", data: PNG } }],
          },
        },
      ],
    },
    { role: "model", parts: [{ text: "Done." }] },
    { parts: [{ text: "Thanks." }] },
  ],
});

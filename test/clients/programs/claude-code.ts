import { join } from "node:path";
import { CLIENT_KEY, type ClientProgram, installed, MACHINE } from "../client-program.ts";

/** It takes no smaller window (tokens). */
const LEAST_WINDOW = 100_000;

const withModel = (name: string, model: string): ClientProgram => ({
  name,
  package: "@anthropic-ai/claude-code",
  api: "messages",
  standing: "Primary working directory",
  compaction: { by: "usage", words: "Your task is to create a detailed summary of the conversation" },
  start: ({ url, prompt, resumes, ownWindow }) => ({
    command: installed(`@anthropic-ai/claude-code-${MACHINE}/claude`),
    args: [
      ...(resumes ? ["--continue"] : []),
      ...["-p", prompt, "--permission-mode", "bypassPermissions", "--model", model],
    ],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: CLIENT_KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      // It refuses to skip its permission prompts as root, unless told that this is a sandbox.
      IS_SANDBOX: "1",
      ...(ownWindow !== undefined && {
        CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(Math.max(ownWindow, LEAST_WINDOW)),
      }),
    },
  }),
  readCall: (path, { work }) => ({ name: "Read", args: { file_path: join(work, path) } }),
  subAgentCall: (prompt) => ({
    name: "Agent",
    args: { description: "A part of it", prompt, subagent_type: "general-purpose", run_in_background: false },
  }),
});

/** Newer models are told where they work in system messages among the others, and think as they see fit. */
export const claudeCode = withModel("claude-code", "claude-opus-5");
/** Older ones are told in the user's message, and think within a budget. */
export const claudeCodeOlder = withModel("claude-code with an older model", "claude-sonnet-4-5");

import { DIALECT_IDS, LEAST_CAP, STRATEGY_NAMES } from "../core/options.ts";
import { PROFILE_NAMES } from "../profiles/index.ts";
import { streamStrategies } from "../stream/settings.ts";
import * as flag from "./flags.ts";

/**
 * Every command: what it does, what it takes, and its flags. The parser, `--help` and the reference are made from this table.
 * A command of two words belongs to a group.
 */
export interface Command<F extends flag.Flags = flag.Flags> {
  /** What it does, in a sentence. */
  readonly summary: string;
  /** What follows its name: `[X]` is optional, `X…` may be several, `--x` is a flag with its value. */
  readonly args: string;
  /** The message for a missing argument. */
  readonly lacks?: string;
  readonly flags: F;
  readonly notes?: readonly string[];
  readonly examples: readonly string[];
}

/** APIs of models over HTTP. */
export const APIS = ["chat", "responses", "anthropic"] as const;
/** Client programs that `launch` starts. Some can be pointed at the gateway only together with a model's name. */
export const CLIENT_NAMES = [
  "claude",
  "codex",
  "opencode",
  "gemini",
  "qwen",
  "copilot",
  "cline",
  "continue",
] as const;
export const NEED_MODEL: readonly (typeof CLIENT_NAMES)[number][] = [
  "opencode",
  "qwen",
  "copilot",
  "cline",
  "continue",
];

const strategy = flag.choice("S", "how to make room", STRATEGY_NAMES);
const focus = flag.text("TEXT", "what the summary should focus on");
const profile = flag.choice("P", "options for a kind of program: %s (default: agent)", PROFILE_NAMES);

/** Which conversation of a file is read, and in which format. */
const FILE_FLAGS = {
  dialect: flag.choice("D", "format of the messages (default: detected)", DIALECT_IDS),
  pick: flag.count("N", "which conversation to read from a file with several, counted from 1"),
};

/** How to reach a model; each command has its own flag for the model's name. */
const MODEL_FLAGS = {
  baseUrl: flag.text(
    "URL",
    "the model's server, such as http://localhost:11434/v1 (default: the model's provider)",
  ),
  api: flag.choice("A", "that server's API: %s (default: chat)", APIS),
  keyEnv: flag.text(
    "NAME",
    "the environment variable with its key (default: OPENAI_API_KEY or ANTHROPIC_API_KEY)",
  ),
};

/** Flags of commands that run or start a gateway. */
const SERVER_FLAGS = {
  upstream: flag.text(
    "URL",
    "the model server, such as http://localhost:11434/v1 (default: from config and keys)",
  ),
  window: flag.tokens("N", "context window of the upstream's models (32k), instead of the registry's"),
  db: flag.text("DB", "where to store: a file (default: precis.db), postgres://…, or memory"),
  config: flag.text("FILE", "config file of precis serve (default: precis.config.json)"),
};

/** Flags of commands that read a store. */
const DATABASE_FLAGS = {
  db: flag.text("DB", "the database: a file or postgres://… (default: what precis serve uses)"),
  config: SERVER_FLAGS.config,
};
const ofTenant = { tenant: flag.text("T", "the tenant (default: 'default')") };
const UPKEEP_FLAGS = { ...DATABASE_FLAGS, json: flag.on("print the result as JSON") };
const onlyTenant = { tenant: flag.text("T", "only this tenant (default: all)") };

/** Flags of commands that write a text about a conversation. */
const TEXT_FLAGS = {
  cap: {
    ...flag.tokens("N", `maximum length in tokens, at least ${LEAST_CAP} (default: 2500)`),
    read: (name: string, given: string) => flag.parseTokens(name, given, LEAST_CAP),
  },
  model: flag.text(
    "M",
    "the model that writes it: NAME, NAME@URL or mailbox:DIR (default: no model; nothing leaves the machine)",
  ),
  ...MODEL_FLAGS,
  window: flag.tokens("N", "the model's context window, if precis doesn't know it"),
  profile,
  ...FILE_FLAGS,
  out: flag.text("FILE", "write to this file instead of stdout; refuses to overwrite the input"),
  json: flag.on("print { text, tokens, report } as JSON"),
};
const TEXT_NOTES = [
  "mailbox:DIR writes each request to a file in DIR and waits for a reply file, so any program or person can act as the model. README.txt in DIR explains how.",
  "If the model fails, a message on stderr says so, and the text is made without it.",
];

const counter = flag.choice("C", "how tokens are counted: %s (an estimate); default: o200k", [
  "o200k",
  "chars",
]);
const MEASURE_FLAGS = {
  data: flag.text("DIR", "folder with recorded conversations (default: data)"),
  sample: flag.on("measure only every 6th session, in less than a minute"),
  counter,
  json: flag.on("print the result as JSON"),
};
const asPage = flag.text("OUT", "also write the result as an HTML page");
const measured = flag.choice("P", "measure precis with this profile", PROFILE_NAMES);
const ASKED_FLAGS = {
  ...MODEL_FLAGS,
  window: flag.tokens("N", "the context window of models that precis doesn't know"),
  yes: flag.on("call models without asking for confirmation"),
};
const contest = (arms: string, sizes: string) => ({
  summarizer: flag.text("M", "the model that writes summaries, in arms that need one"),
  arms: flag.list(
    "LIST",
    `contestants, from newest, recorded, recorded+newest, plain+newest, precis, precis+recall, precis+model, precis+model+recall, recorded+precis, whole (default: ${arms}); precis*10: after ten compactions in a row`,
  ),
  sizes: flag.list(
    "LIST",
    `context sizes: S (the size of the recorded summary), 2S, 10%, 4k (default: ${sizes})`,
  ),
  html: asPage,
  profile: measured,
});

export const COMMANDS = {
  compact: {
    summary: "Compacts a conversation to fit a budget and prints it, with a report on each message.",
    args: "FILE --budget N",
    flags: {
      budget: flag.budget("N", "maximum tokens (8000, 8k), or a share of the transcript (10%)"),
      window: flag.tokens("N", "the model's context window; room for the answer is kept free"),
      model: flag.text("M", "the model, which sets the window and the token counter"),
      focus,
      profile,
      strategy,
      ...FILE_FLAGS,
      out: flag.text(
        "FILE",
        "write the result to this file instead of stdout; refuses to overwrite the input",
      ),
      json: flag.on("print only the result, even on a terminal"),
    },
    notes: [
      "Give --budget, --window or --model. The output is JSON: messages (and system, if the format has it separately) in the format of FILE, and report.",
    ],
    examples: [
      "precis compact session.jsonl --budget 8k > view.json",
      "precis compact chats.json --pick 3 --budget 25% --focus 'the open invoice'",
      "cat request.json | precis compact - --model gpt-4o --strategy truncate-oldest",
    ],
  },
  summarize: {
    summary:
      "Writes a self-contained summary of a conversation, for a pull request, a colleague or your notes.",
    args: "FILE",
    flags: { focus, ...TEXT_FLAGS },
    notes: [
      "Without --model, code builds the summary from what the user and the assistant said: goal, rules, state, decisions and findings, files, open points.",
      ...TEXT_NOTES,
    ],
    examples: [
      "precis summarize session.jsonl",
      "precis summarize session.jsonl --cap 800 --focus 'what a reviewer must know' > pull-request.md",
      "precis summarize session.jsonl --model qwen3:8b --base-url http://localhost:11434/v1",
    ],
  },
  handover: {
    summary:
      "Writes the first message of a new session: everything in an earlier conversation that matters for a goal.",
    args: "FILE --goal TEXT",
    flags: { goal: flag.text("TEXT", "the goal of the new session"), ...TEXT_FLAGS },
    notes: [
      "Without --model, code builds it, and the same file and goal always give the same text: requests, rules, state, decisions, what was said about the goal, files, open points.",
      ...TEXT_NOTES,
    ],
    examples: [
      "precis handover session.jsonl --goal 'release version 2'",
      "precis handover session.jsonl --goal 'fix the flaky test' --cap 1500 > start.md",
    ],
  },
  replay: {
    summary: "Replays a recorded session request by request and shows what precis would have sent.",
    args: "FILE [--window N]",
    flags: {
      window: flag.tokens(
        "N",
        "the model's context window (32000, 32k; default: that of the session's model)",
      ),
      prices: flag.text(
        "MODEL",
        "show what each strategy costs at this model's prices, with cache reads and writes",
      ),
      html: flag.text("OUT", "also write the replay as an HTML page"),
      profile,
      strategy,
      ...FILE_FLAGS,
      judge: flag.text(
        "M",
        "with --prices: a model (NAME, NAME@URL or mailbox:DIR) that tests what a reader of each last view knows",
      ),
      questions: flag.count("N", "how many questions the judge writes (default: 6)"),
      yes: flag.on("call the judge without asking for confirmation"),
      ...MODEL_FLAGS,
      json: flag.on("print the replay as JSON"),
    },
    notes: [
      "The view is computed before every answer, as in a live session. No model is called, so summaries consist of exact lines. Only --judge calls a model, and shows the cost first.",
    ],
    examples: [
      "precis replay ~/.claude/projects/my-project/session.jsonl --window 64k",
      "precis replay session.jsonl --window 32k --prices claude-sonnet-5 --html replay.html",
      "precis replay session.jsonl --window 32k --strategy truncate-oldest --json > replay.json",
      "precis replay session.jsonl --window 32k --prices gpt-5-mini --judge gpt-5-mini",
    ],
  },
  stream: {
    summary:
      "Replays a recorded stream (frames and turns) against a KV cache and shows when and how the cache was trimmed.",
    args: "FILE",
    flags: {
      strategy: flag.choice(
        "S",
        "how to trim a full cache: %s (default: summarize-and-drop)",
        streamStrategies,
      ),
      window: flag.tokens("N", "size of the cache (default: 4096)"),
      reserve: flag.tokens("N", "tokens kept free (default: what the strategy needs)"),
      tokensPerFrame: flag.count("N", "tokens per frame (default: as recorded, otherwise 10)"),
      pick: flag.count("N", "which recording to read from a file with several, counted from 1"),
      model: flag.text("GGUF", "a local model that writes the summaries (needs the package node-llama-cpp)"),
      json: flag.on("print the timeline as JSON"),
    },
    notes: [
      'FILE is JSONL: one recording per line ({"fps": 2, "conversation": […]}), or one event per line ({"role": "frames", "start": 0, "end": 4}, {"role": "user", "time": 2, "content": "…"}).',
      "Without --model, no model is called, and summaries are built from the recording's own turns.",
    ],
    examples: [
      "precis stream recording.jsonl --strategy drop-middle",
      "precis stream recording.jsonl --window 2k --json > timeline.json",
    ],
  },
  serve: {
    summary:
      "Starts the gateway between any OpenAI, Anthropic, Google or Ollama client and its models, and serves the page.",
    args: "",
    flags: {
      port: flag.port("N", "port (default: 8787)"),
      host: flag.text("H", "address to listen on (default: 127.0.0.1; others need client keys)"),
      ...SERVER_FLAGS,
      profile,
      noStore: flag.on("store no transcripts; summaries are kept in memory"),
      noSummaryModel: flag.on("call no model for summaries: code writes them, at no cost"),
      observe: flag.on("change nothing, and only report what precis would do"),
      workers: flag.count("N", "number of processes that share the port (default: 1); not with --db memory"),
      grace: flag.text(
        "TIME",
        "keep serving this long after SIGTERM, such as 5s; /readyz returns 503 (default: 0s)",
      ),
      newKey: flag.text("NAME", "create a client key, print it once and exit"),
      limit: flag.count("N", "requests per minute for the new key, per process (default: unlimited)"),
      keys: flag.on("list a tenant's client keys (names and ids, never the keys) and exit"),
      revokeKey: flag.text(
        "NAME",
        "revoke the client keys with this name or id and exit; running servers notice within 10 seconds",
      ),
      tenant: flag.text("T", "tenant of the keys (default: 'default')"),
      json: flag.on("print only one line of JSON with the address to stdout"),
    },
    notes: [
      "Set the client's base URL: http://127.0.0.1:8787/v1 for OpenAI clients, http://127.0.0.1:8787 for Anthropic clients. The page is at http://127.0.0.1:8787/.",
      "Without --upstream, precis uses OPENAI_API_KEY and ANTHROPIC_API_KEY from the environment. Without any of these, the page and /api still work.",
    ],
    examples: [
      "precis serve --upstream http://localhost:11434/v1 --window 32k",
      "OPENAI_API_KEY=… precis serve",
      "precis serve --host 0.0.0.0 --db postgres://precis@db/precis --workers 4",
    ],
  },
  launch: {
    summary: "Starts a coding agent behind the gateway, set up for this run only.",
    args: "CLIENT -- ARGS…",
    lacks: `launch needs the name of a client: ${CLIENT_NAMES.join(", ")}.`,
    flags: {
      model: flag.text("M", `the client's model (required for ${NEED_MODEL.join(", ")})`),
      ...SERVER_FLAGS,
      port: flag.port("N", "port of the gateway (default: 8787)"),
      dryRun: flag.on("print what would be started and set, without starting anything"),
    },
    notes: [
      `CLIENT is one of ${CLIENT_NAMES.join(", ")}. Everything after -- goes to the client.`,
      "A gateway already listening on the port is used. Otherwise one is started, and stopped when the client exits. The client's files aren't changed.",
    ],
    examples: [
      "precis launch claude",
      "precis launch claude --upstream http://localhost:11434/v1 --window 32k --model qwen3-coder",
      "precis launch codex -- exec 'Make the tests pass.'",
      "precis launch opencode --upstream http://localhost:11434/v1 --model qwen3-coder",
    ],
  },
  chat: {
    summary: "Chats in the terminal. The conversation never overflows, and the page shows it, too.",
    args: "[--resume [ID]]",
    flags: {
      resume: flag.on(
        "continue the conversation ID (a short one, as in --list, is enough; default: the newest)",
      ),
      list: flag.on("list the conversations and exit"),
      model: flag.text("M", "the model that answers (default: from the settings, or the last one used)"),
      system: flag.text("TEXT", "the system prompt of a new conversation"),
      ...SERVER_FLAGS,
      window: flag.tokens("N", "the model's context window (32k), for this chat"),
      server: flag.text("URL", "chat through a running precis serve (http://127.0.0.1:8787)"),
      keyEnv: flag.text("NAME", "with --server: the environment variable with its client key"),
      json: flag.on("one JSON object per line on stdout: text, answer, notice, output, meter"),
    },
    notes: [
      "In the chat: /compact [focus], /undo, /pin [n], /unpin [n], /view [n | summary], /settings [name value], /model [name], /recall words, /help, /quit. Ctrl-C stops an answer; a second Ctrl-C quits. A backslash at the end of a line continues it on the next.",
      "Without a terminal, each line of stdin is one turn; answers go to stdout, notices and the meter to stderr.",
      "Without a key or --upstream, the offline assistant answers. It isn't a language model: it only quotes the conversation.",
    ],
    examples: [
      "OPENAI_API_KEY=… precis chat --model gpt-5-mini",
      "precis chat --upstream http://localhost:11434/v1 --model llama3.2 --window 32k",
      "precis chat --resume",
      'echo "What did we decide about the pump?" | precis chat --resume 3f2a',
    ],
  },
  inspect: {
    summary:
      "Shows a stored conversation: transcript, view, checkpoints, and why each message is or isn't shown.",
    args: "[SESSION]",
    flags: {
      ...DATABASE_FLAGS,
      ...ofTenant,
      json: flag.on("print everything as JSON, with the view's messages in their original format"),
    },
    notes: [
      "SESSION is the id of a session (response header x-precis-session) or of a conversation. Without one, the newest conversations are listed. For a session with several branches, the newest is shown and all are listed; pass a name from that list to see another.",
    ],
    examples: [
      "precis inspect",
      "precis inspect 3f1c… --db precis.db",
      "precis inspect 3f1c… --json | jq .view.messages",
    ],
  },
  recall: {
    summary: "Searches a file, one stored conversation, or all of them.",
    args: "QUERY [SESSION|FILE]",
    lacks: 'recall needs a query, such as precis recall "staging database".',
    flags: {
      read: flag.on("print the message that QUERY names: a pointer (#12–18), or the id of a message or call"),
      limit: flag.count("N", "maximum number of hits (default: the best of 10)"),
      tokens: flag.tokens("N", "maximum tokens of all texts together (default: 2000, with --read 4000)"),
      regex: flag.on("treat QUERY as a regular expression, matched line by line"),
      ...DATABASE_FLAGS,
      ...ofTenant,
      ...FILE_FLAGS,
      json: flag.on("print { hits } or, with --read, { messages } as JSON"),
    },
    notes: [
      'QUERY consists of words, "phrases" in quotation marks, names and paths. No model is called, and nothing leaves the machine.',
      "The second argument is a FILE (or - for stdin), or the id of a SESSION or conversation in the database (precis inspect lists them). Without it, all conversations of the tenant are searched.",
      "Each hit starts with its pointer: #13 fetch» is message 13, from the tool fetch; without a name it is from the assistant. Long passages are cut to the matching lines: --read prints the whole message, --json everything found.",
    ],
    examples: [
      "precis recall 'name of the staging database'",
      "precis recall 'ECONNRESET \"retry budget\"' session.jsonl --limit 3",
      "precis recall '#12–18' 3f1c… --read",
    ],
  },
  mcp: {
    summary: "Lets any MCP client search and read the stored conversations over stdio.",
    args: "",
    flags: {
      ...DATABASE_FLAGS,
      ...ofTenant,
    },
    notes: [
      "The tools are search, read, summary, handover and sessions. They are read-only, call no model, and mark their results as quotations.",
      "precis serve offers the same tools over streamable HTTP at /mcp.",
    ],
    examples: ["precis mcp --db precis.db", "claude mcp add precis -- precis mcp --db ~/precis.db"],
  },
  import: {
    summary: "Imports logs and exports of other programs into the database, whole folders at a time.",
    args: "FILE|FOLDER…",
    lacks: "import needs a FILE or a FOLDER, such as precis import ~/.claude/projects.",
    flags: { ...DATABASE_FLAGS, ...ofTenant, json: flag.on("print the result as JSON") },
    notes: [
      "A FOLDER is searched, with its subfolders, for .json and .jsonl files (plain or gzip) and for opencode's database. Files that aren't conversations are skipped. An unreadable file is reported with its line, and the others are imported.",
      "A second run reads only changed files and adds only new messages. An interrupted run continues where it stopped.",
      "precis recall and precis mcp then search the imported conversations.",
    ],
    examples: [
      "precis import ~/.claude/projects",
      "precis import ~/.codex/sessions ~/.pi/agent/sessions --db precis.db",
      "precis import ~/.local/share/opencode",
      "precis import conversations.json",
    ],
  },
  "db status": {
    summary: "Counts what is in the database.",
    args: "",
    flags: { ...UPKEEP_FLAGS, ...onlyTenant },
    examples: ["precis db status"],
  },
  "db backup": {
    summary: "Copies an SQLite database into a new file, even while a server uses it.",
    args: "FILE",
    lacks: "db backup needs one FILE, the new copy.",
    flags: UPKEEP_FLAGS,
    examples: ["precis db backup copy.db"],
  },
  "db export": {
    summary: "Prints a consistent copy of the database as JSON lines, even while a server uses it.",
    args: "",
    flags: {
      ...DATABASE_FLAGS,
      ...onlyTenant,
      out: flag.text("FILE", "write to this new file instead of stdout; refuses to overwrite"),
    },
    examples: ["precis db export > backup.jsonl", "precis db export --tenant team-a --out team-a.jsonl"],
  },
  "db import": {
    summary: "Imports an export into an SQLite or PostgreSQL database. Existing rows stay unchanged.",
    args: "FILE",
    lacks: "db import needs one FILE (or - for stdin).",
    flags: {
      ...UPKEEP_FLAGS,
      withKeys: flag.on("also import the client keys in the file, for all its tenants"),
    },
    examples: ["precis db import backup.jsonl --db postgres://precis@db/precis"],
  },
  "db sweep": {
    summary: "Removes expired data, data past the config's `retention` and, with --older-than, older data.",
    args: "",
    flags: {
      ...UPKEEP_FLAGS,
      ...onlyTenant,
      olderThan: flag.age("AGE", "also remove data older than this (90m, 12h, 30d, 4w); keeps pinned chats"),
    },
    examples: ["precis db sweep --older-than 90d && precis db vacuum"],
  },
  "db vacuum": {
    summary: "Returns freed space to the disk.",
    args: "",
    flags: UPKEEP_FLAGS,
    examples: ["precis db vacuum"],
  },
  doctor: {
    summary: "Checks this machine (Node, model servers, keys) and shows what precis would use.",
    args: "",
    flags: { json: flag.on("print the result as JSON") },
    notes: [
      "It checks the environment and the usual ports of Ollama, LM Studio, llama.cpp and vLLM on this machine. Nothing leaves the machine. Keys are listed by the names of their variables, never by value.",
    ],
    examples: ["precis doctor", "precis doctor --json | jq .servers"],
  },
  "eval retention": {
    summary: "Measures how much compacted conversations retain, compared with the alternatives.",
    args: "",
    flags: {
      ...MEASURE_FLAGS,
      sets: flag.text("TEXT", "only sets whose name contains this text"),
      budgets: flag.list("LIST", "sizes of the views in percent (default: 5,10,25)"),
      profile: measured,
      intervals: flag.on("print 95% confidence intervals over sessions"),
      html: asPage,
    },
    examples: [
      "precis eval retention --data ~/.claude/projects --sample",
      "precis eval retention --sets agent --intervals",
      "precis eval retention --json --html retention.html > retention.json",
    ],
  },
  "eval cost": {
    summary: "Measures what whole sessions cost with each strategy, including the prompt cache.",
    args: "",
    flags: {
      ...MEASURE_FLAGS,
      counter: flag.choice("C", "how tokens are counted: %s (an estimate); default: chars", [
        "o200k",
        "chars",
      ]),
      chains: flag.choice("WHEN", "also join sessions into days of work: %s (default: yes)", [
        "no",
        "yes",
        "only",
      ]),
      html: asPage,
      windows: flag.list("LIST", "the model's windows (default: 64k for sessions, 128k for chains)"),
      head: flag.tokens("N", "tokens of system prompt and tools (default: 15k)"),
      prices: flag.choice(
        "P",
        "provider whose cache prices apply: %s (default: anthropic: read 0.1, write 1.25, output 5; openai: write 1)",
        ["anthropic", "openai"],
      ),
      ttl: flag.text("MIN", "lifetime of the prompt cache in minutes, or never (default: 5)"),
    },
    examples: ["precis eval cost --sample", "precis eval cost --windows 64k,128k --ttl never"],
  },
  "eval rules": {
    summary:
      "Measures whether a user's rules survive verbatim, in generated conversations or your own (--data).",
    args: "",
    flags: {
      ...MEASURE_FLAGS,
      ...contest("newest, precis and, with a summarizer, precis+model", "4k,8k,16k"),
      times: flag.list("LIST", "compactions in a row (default: 1,10,50)"),
      languages: flag.list("LIST", "of en, de, fr, es, pt, ru, ar, zh, ja (default: all)"),
      ...ASKED_FLAGS,
      data: flag.text("DIR", "measure recorded conversations (default: generated ones)"),
    },
    notes: ["It calls a model only with --summarizer."],
    examples: ["precis eval rules --sample", "precis eval rules --languages de,ja --sizes 8k"],
  },
  "eval judged": {
    summary:
      "Runs exams: readers answer from each contestant's context, and a judge grades the answers blind.",
    args: "",
    flags: {
      exams: flag.list("LIST", "exams, files with questions, or folders of them, separated by commas"),
      reader: flag.text("M", "the model that answers: NAME, NAME@URL or mailbox:DIR"),
      judge: flag.text("M", "the model that grades the answers (default: the reader's model)"),
      ...contest("all possible ones", "S,2S with a recorded summary, otherwise 10%"),
      against: flag.text("ARM", "the baseline arm (default: recorded, otherwise newest)"),
      trials: flag.count("N", "how often to run each exam (default: 3)"),
      questions: flag.count("N", "maximum questions per exam (default: all)"),
      oneByOne: flag.on("ask every arm one question at a time, as arms with recall always are"),
      atOnce: flag.count("N", "concurrent requests (default: 4)"),
      run: flag.text("DIR", "folder for the replies, so that a run can be resumed (default: judged)"),
      data: MEASURE_FLAGS.data,
      counter,
      ...ASKED_FLAGS,
      json: MEASURE_FLAGS.json,
    },
    notes: ["The cost is shown first, and models are only called after you confirm."],
    examples: ["precis eval judged --exams exams --reader gpt-5-mini --judge mailbox:judge"],
  },
  "eval exam": {
    summary: "Writes questions with rubrics about one of your conversations, for precis eval judged.",
    args: "FILE",
    lacks: "eval exam needs the FILE of a conversation: precis eval exam FILE.",
    flags: {
      writer: flag.text("M", "the model that writes the questions: NAME, NAME@URL or mailbox:DIR"),
      questions: flag.count("N", "how many questions to write (default: 12)"),
      pick: FILE_FLAGS.pick,
      out: flag.text("FILE", "write the questions to this file instead of stdout"),
      ...ASKED_FLAGS,
    },
    notes: ["The cost is shown first, and models are only called after you confirm."],
    examples: ["precis eval exam session.jsonl --writer gpt-5-mini --out exams/session.json"],
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;

/** Groups of two-word commands, with what is true of all their commands. */
export const GROUPS: Readonly<
  Record<string, Pick<Command, "summary" | "notes"> & { readonly default?: CommandName }>
> = {
  db: {
    summary: "Manages the gateway's database: status, backups, exports, clean-up.",
    default: "db status",
    notes: ["A database from another version of precis is rejected and left unchanged."],
  },
  eval: {
    summary: "Measures how much compacted conversations keep and what they cost (package @precis/eval).",
    notes: [
      "npm install --global @precis/eval adds these commands to @precis/gateway.",
      "retention, cost and rules call no model, and nothing leaves the machine. judged and exam call models. precis comes without data.",
      "The --data folder must contain your own recorded conversations as .json, .jsonl or .traj files (plain or .gz), in any format that precis replay reads: logs of Claude Code, Codex, pi, OpenHands or SWE-agent, or lists of { role, content } messages.",
    ],
  },
};

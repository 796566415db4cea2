import { LEAST_CAP, STRATEGY_NAMES } from "../core/options.ts";
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
  /** What stands behind its name: `[X]` may be left out, `X…` may be several, what begins with `--` is a flag and its value. */
  readonly args: string;
  /** Said where an argument is missing. */
  readonly lacks?: string;
  readonly flags: F;
  readonly notes?: readonly string[];
  readonly examples: readonly string[];
}

const DIALECTS = ["openai-chat", "openai-responses", "anthropic-messages", "ai-sdk", "gemini-contents"];
/** How a model over HTTP is spoken to. */
export const APIS = ["chat", "responses", "anthropic"] as const;
/** Client programs that `launch` starts. Those that need a model can't be told about the gateway without one's name. */
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
const focus = flag.text("TEXT", "what the summary should care about most");
const profile = flag.choice("P", "options for a kind of program: %s (default: agent)", PROFILE_NAMES);

/** Which conversation of a file is read, and how. */
const FILE_FLAGS = {
  dialect: flag.choice("D", "wire format of the messages, instead of guessing", DIALECTS),
  pick: flag.count("N", "which conversation of a file that holds several, from 1"),
};

/** How a model is reached; the flag that names it belongs to its command. */
const MODEL_FLAGS = {
  baseUrl: flag.text("URL", "where the model is served (http://localhost:11434/v1); default: its provider"),
  api: flag.choice("A", "what that server speaks: %s (default: chat)", APIS),
  keyEnv: flag.text("NAME", "the variable that holds its key (default: OPENAI_API_KEY or ANTHROPIC_API_KEY)"),
};

/** Flags of commands that are a gateway themselves, or start one. */
const SERVER_FLAGS = {
  upstream: flag.text(
    "URL",
    "where requests go, such as http://localhost:11434/v1 (default: by config and keys)",
  ),
  window: flag.tokens("N", "window of the upstream's models in tokens (32k), instead of the registry's"),
  db: flag.text("DB", "where to store: a file (default: precis.db), postgres://…, or memory"),
  config: flag.text("FILE", "config file of precis serve (default: precis.config.json)"),
};

/** Flags of commands that look into a store. */
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
    ...flag.tokens("N", `tokens that it may have, at least ${LEAST_CAP} (default: 2500)`),
    read: (name: string, given: string) => flag.parseTokens(name, given, LEAST_CAP),
  },
  model: flag.text(
    "M",
    "the model that writes it: NAME, NAME@URL or mailbox:DIR (default: no model, and nothing is sent anywhere)",
  ),
  ...MODEL_FLAGS,
  window: flag.tokens("N", "the model's context size, where precis doesn't know it"),
  profile,
  ...FILE_FLAGS,
  out: flag.text("FILE", "write to this file instead of stdout; refuses to overwrite the input"),
  json: flag.on("print { text, tokens, report } as JSON"),
};
const TEXT_NOTES = [
  "mailbox:DIR writes each request as a file into DIR and waits for the reply file: any program or person can be the model. README.txt in DIR says how.",
  "If the model fails, stderr says so and the text is made without it.",
];

const counter = flag.choice("C", "how tokens are counted: %s (an estimate); default: o200k", [
  "o200k",
  "chars",
]);
const MEASURE_FLAGS = {
  data: flag.text("DIR", "folder with recorded conversations (default: data)"),
  sample: flag.on("every 6th session only: an answer in less than a minute"),
  counter,
  json: flag.on("print the result as JSON"),
};
const asPage = flag.text("OUT", "write the result as a page, too");
const measured = flag.choice("P", "measure precis with a profile", PROFILE_NAMES);
const ASKED_FLAGS = {
  ...MODEL_FLAGS,
  window: flag.tokens("N", "the context size of models that precis doesn't know"),
  yes: flag.on("don't ask before models are asked"),
};
const contest = (arms: string, sizes: string) => ({
  summarizer: flag.text("M", "who writes summaries, in the arms that need a model"),
  arms: flag.list(
    "LIST",
    `who takes part, of newest, recorded, recorded+newest, plain+newest, precis, precis+recall, precis+model, precis+model+recall, recorded+precis, whole (default: ${arms}); precis*10: after ten compactions in a row`,
  ),
  sizes: flag.list(
    "LIST",
    `sizes of the contexts: S (the recorded summary's), 2S, 10%, 4k (default: ${sizes})`,
  ),
  html: asPage,
  profile: measured,
});

export const COMMANDS = {
  compact: {
    summary:
      "Makes a conversation fit a budget and prints it, with a report of what happened to each message.",
    args: "FILE --budget N",
    flags: {
      budget: flag.budget("N", "tokens to fit into (8000, 8k), or a share of the transcript (10%)"),
      window: flag.tokens("N", "the model's context size; what the answer needs is kept free"),
      model: flag.text("M", "the model: its window and its way of counting"),
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
      "One of --budget, --window and --model is needed. Prints JSON: messages (and system, where the format keeps it apart) in the wire format of FILE, and report.",
    ],
    examples: [
      "precis compact session.jsonl --budget 8k > view.json",
      "precis compact chats.json --pick 3 --budget 25% --focus 'the open invoice'",
      "cat request.json | precis compact - --model gpt-4o --strategy truncate-oldest",
    ],
  },
  summarize: {
    summary:
      "Writes a summary of a conversation that stands by itself: for a pull request, a colleague, a note.",
    args: "FILE",
    flags: { focus, ...TEXT_FLAGS },
    notes: [
      "Without --model, code makes the summary from statements of the user and the assistant: goal, rules, state, decisions and findings, files, open points.",
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
      "Writes the first message of a new session: what an earlier conversation holds that matters for a goal.",
    args: "FILE --goal TEXT",
    flags: { goal: flag.text("TEXT", "what the fresh session is for"), ...TEXT_FLAGS },
    notes: [
      "Without --model, code makes it, and the same file and goal give the same text: what was asked for, rules, state, decisions, what was said about the goal, files, open points.",
      ...TEXT_NOTES,
    ],
    examples: [
      "precis handover session.jsonl --goal 'release version 2'",
      "precis handover session.jsonl --goal 'fix the flaky test' --cap 1500 > start.md",
    ],
  },
  replay: {
    summary: "Walks a recorded session request by request and shows what precis would have sent.",
    args: "FILE --window N",
    flags: {
      window: flag.tokens("N", "the model's context size (32000, 32k; default: that of the session's model)"),
      prices: flag.text(
        "MODEL",
        "show the cost at this model's prices, with cache reads and writes, under each strategy",
      ),
      html: flag.text("OUT", "write the replay as a page, too"),
      profile,
      strategy,
      ...FILE_FLAGS,
      judge: flag.text(
        "M",
        "with --prices: a model (NAME, NAME@URL or mailbox:DIR) that asks and marks what readers of each last view know",
      ),
      questions: flag.count("N", "how many questions it writes (default: 6)"),
      yes: flag.on("don't ask before the judge is asked"),
      ...MODEL_FLAGS,
      json: flag.on("print the replay as JSON"),
    },
    notes: [
      "Before every answer of the model the view is made anew, as a host would. No model is called, so a summary is made of exact lines. Only --judge asks one, and says first what that costs.",
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
        "how a full cache is made smaller: %s (default: summarize-and-drop)",
        streamStrategies,
      ),
      window: flag.tokens("N", "the cache's size in tokens (default: 4096)"),
      reserve: flag.tokens("N", "tokens kept free (default: what the strategy needs)"),
      tokensPerFrame: flag.count("N", "tokens of one frame (default: as recorded, otherwise 10)"),
      pick: flag.count("N", "which recording of a file that holds several, from 1"),
      model: flag.text("GGUF", "a local model that writes the summaries (needs the package node-llama-cpp)"),
      json: flag.on("print the timeline as JSON"),
    },
    notes: [
      'FILE is JSONL: one recording per line ({"fps": 2, "conversation": […]}), or one event per line ({"role": "frames", "start": 0, "end": 4}, {"role": "user", "time": 2, "content": "…"}).',
      "Without --model no model is called: a summary is put together from the recording's own turns.",
    ],
    examples: [
      "precis stream recording.jsonl --strategy drop-middle",
      "precis stream recording.jsonl --window 2k --json > timeline.json",
    ],
  },
  serve: {
    summary:
      "Starts the gateway between any client of OpenAI, Anthropic, Google or Ollama and its models, and serves the page.",
    args: "",
    flags: {
      port: flag.port("N", "port (default: 8787)"),
      host: flag.text("H", "address to listen at (default: 127.0.0.1; others need client keys)"),
      ...SERVER_FLAGS,
      profile,
      noStore: flag.on("keep no transcripts; summaries live in memory"),
      noSummaryModel: flag.on("ask no model for summaries: code writes them, and no key is spent on them"),
      observe: flag.on("change nothing, only report what would have been done"),
      workers: flag.count("N", "processes that share port and work (default: 1); not with --db memory"),
      grace: flag.text(
        "TIME",
        "still serve that long after SIGTERM (5s), while /readyz says 503 to balancers (default: 0s)",
      ),
      newKey: flag.text("NAME", "make a client key, print it once and end"),
      limit: flag.count(
        "N",
        "requests per minute that the new key may send on one process (default: any number)",
      ),
      keys: flag.on("list a tenant's client keys (names and ids, never the keys) and exit"),
      revokeKey: flag.text(
        "NAME",
        "make the client keys of this name or id useless, within 10 seconds on servers that run, and end",
      ),
      tenant: flag.text("T", "tenant of the keys (default: 'default')"),
      json: flag.on("nothing on stdout but one line of JSON with the address"),
    },
    notes: [
      "Point a client at it by its base URL: http://127.0.0.1:8787/v1 for OpenAI's clients, http://127.0.0.1:8787 for Anthropic's. The page is at http://127.0.0.1:8787/.",
      "Without --upstream, OPENAI_API_KEY and ANTHROPIC_API_KEY in the environment are enough; without any of them, the page and /api still work.",
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
      model: flag.text("M", `the model that the client asks for (${NEED_MODEL.join(", ")} need it)`),
      ...SERVER_FLAGS,
      port: flag.port("N", "port of the gateway (default: 8787)"),
      dryRun: flag.on("say what would be started and set, and start nothing"),
    },
    notes: [
      `CLIENT is one of ${CLIENT_NAMES.join(", ")}. Everything after -- goes to the client.`,
      "If a gateway already listens at the port, it is used; otherwise one is started, and stopped when the client ends. The client's files aren't changed.",
    ],
    examples: [
      "precis launch claude",
      "precis launch claude --upstream http://localhost:11434/v1 --window 32k --model qwen3-coder",
      "precis launch codex -- exec 'Make the tests pass.'",
      "precis launch opencode --upstream http://localhost:11434/v1 --model qwen3-coder",
    ],
  },
  chat: {
    summary: "Chats in the terminal; the conversation never overflows, and the page shows it, too.",
    args: "[--resume [ID]]",
    flags: {
      resume: flag.on(
        "go on with the conversation ID (a short one as in --list will do); without ID: the newest",
      ),
      list: flag.on("list the conversations and end"),
      model: flag.text(
        "M",
        "the model that answers (default: the one in the settings, or the last one used)",
      ),
      system: flag.text("TEXT", "the system prompt of a new conversation"),
      ...SERVER_FLAGS,
      window: flag.tokens("N", "the model's window in tokens (32k), for this chat"),
      server: flag.text("URL", "chat through a precis serve that is running (http://127.0.0.1:8787)"),
      keyEnv: flag.text("NAME", "with --server: the variable that holds its client key"),
      json: flag.on("one JSON object per line on stdout: text, answer, notice, output, meter"),
    },
    notes: [
      "In the chat: /compact [focus], /undo, /pin [n], /unpin [n], /view [n | summary], /settings [name value], /model [name], /recall words, /help, /quit. Ctrl-C stops an answer; a second Ctrl-C quits. A backslash at the end of a line continues it in the next.",
      "Without a terminal, each line of stdin is one turn; answers go to stdout, notices and the meter to stderr.",
      "Without a key or --upstream the offline assistant answers: it isn't a language model and only quotes the conversation.",
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
      json: flag.on("print everything as JSON, with the view's messages in their wire format"),
    },
    notes: [
      "SESSION is the id of a session (the answer's header x-precis-session) or of a conversation. Without one, the newest conversations are listed. A session with several branches shows the newest and lists all of them; a branch is shown by the name in that list.",
    ],
    examples: [
      "precis inspect",
      "precis inspect 3f1c… --db precis.db",
      "precis inspect 3f1c… --json | jq .view.messages",
    ],
  },
  recall: {
    summary: "Finds what was said: in a file, in one stored conversation, or in all of them.",
    args: "QUERY [SESSION|FILE]",
    lacks: 'What are you looking for? Say it: precis recall "words".',
    flags: {
      read: flag.on("QUERY is a pointer (#12–18) or the id of a message or call: print that message"),
      limit: flag.count("N", "hits at most (default: the best of 10)"),
      tokens: flag.tokens("N", "tokens that all texts may have together (default: 2000, 4000 with --read)"),
      regex: flag.on("QUERY is a regular expression, matched line by line"),
      ...DATABASE_FLAGS,
      ...ofTenant,
      ...FILE_FLAGS,
      json: flag.on("print { hits } or, with --read, { messages } as JSON"),
    },
    notes: [
      'QUERY is words, "phrases" in quotation marks, names and paths. No model is asked, and nothing is sent anywhere.',
      "The second argument is a FILE (or - for stdin), or a SESSION in the database: the id of a session or of a conversation (precis inspect lists them). Without it, all conversations of the tenant are searched.",
      "Each hit begins with its pointer: #13 fetch» is message 13, said by the tool fetch; without a name it is the assistant. Of long passages the lines that match are shown; --read shows the message, and --json everything that was found.",
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
      "The tools are search, read, summary, handover and sessions. They only read, call no model, and what they return is marked as quotations.",
      "Over streamable HTTP, precis serve has the same tools at /mcp.",
    ],
    examples: ["precis mcp --db precis.db", "claude mcp add precis -- precis mcp --db ~/precis.db"],
  },
  import: {
    summary: "Takes logs and exports of other programs into the database, a folder at a time.",
    args: "FILE|FOLDER…",
    lacks: "import needs a FILE or a FOLDER, such as precis import ~/.claude/projects.",
    flags: { ...DATABASE_FLAGS, ...ofTenant, json: flag.on("print what was done as JSON") },
    notes: [
      "A FOLDER is searched for .json and .jsonl files, plain or gzip, and for the database of opencode, with all folders in it. Files that aren't conversations are skipped; one that can't be read is named with its line, and the others are imported.",
      "A second run reads only files that have changed and adds only new messages. An interrupted run goes on where it stopped.",
      "precis recall and precis mcp then find what was said there.",
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
    summary: "Writes a whole copy of an SQLite database into a new file, even while a server uses it.",
    args: "FILE",
    lacks: "db backup needs one FILE, which it makes.",
    flags: UPKEEP_FLAGS,
    examples: ["precis db backup copy.db"],
  },
  "db export": {
    summary: "Prints everything as lines of JSON, as it is at one moment, even while a server uses it.",
    args: "",
    flags: {
      ...DATABASE_FLAGS,
      ...onlyTenant,
      out: flag.text("FILE", "write there instead of to stdout; never over a file that exists"),
    },
    examples: ["precis db export > backup.jsonl", "precis db export --tenant team-a --out team-a.jsonl"],
  },
  "db import": {
    summary:
      "Adds the lines of an export to a database of either kind; what is there already stays as it is.",
    args: "FILE",
    lacks: "db import needs one FILE (or - for stdin).",
    flags: {
      ...UPKEEP_FLAGS,
      withKeys: flag.on("take over the client keys in the file, too, for all tenants that it names"),
    },
    examples: ["precis db import backup.jsonl --db postgres://precis@db/precis"],
  },
  "db sweep": {
    summary:
      "Removes what has expired, what `retention` in the config no longer keeps and, with --older-than, what is older.",
    args: "",
    flags: {
      ...UPKEEP_FLAGS,
      ...onlyTenant,
      olderThan: flag.age("AGE", "remove what is older (90m, 12h, 30d, 4w); pinned chats stay"),
    },
    examples: ["precis db sweep --older-than 90d && precis db vacuum"],
  },
  "db vacuum": {
    summary: "Gives freed space back to the disk.",
    args: "",
    flags: UPKEEP_FLAGS,
    examples: ["precis db vacuum"],
  },
  doctor: {
    summary: "Checks this machine (Node, model servers, keys) and says what precis would use.",
    args: "",
    flags: { json: flag.on("print what was found as JSON") },
    notes: [
      "Looks at the environment and at the usual ports of Ollama, LM Studio, llama.cpp and vLLM on this machine. Nothing leaves it. Keys are listed by the names of their variables, never by value.",
    ],
    examples: ["precis doctor", "precis doctor --json | jq .servers"],
  },
  "eval retention": {
    summary: "Measures what compacted conversations still know, beside the alternatives.",
    args: "",
    flags: {
      ...MEASURE_FLAGS,
      sets: flag.text("TEXT", "only sets whose name contains this text"),
      budgets: flag.list("LIST", "sizes of the views in percent (default: 5,10,25)"),
      profile: measured,
      intervals: flag.on("print 95 % intervals over sessions beside each figure"),
      html: asPage,
    },
    examples: [
      "precis eval retention --data ~/.claude/projects --sample",
      "precis eval retention --sets agent --intervals",
      "precis eval retention --json --html retention.html > retention.json",
    ],
  },
  "eval cost": {
    summary: "Measures what whole sessions cost under each strategy, prompt cache included.",
    args: "",
    flags: {
      ...MEASURE_FLAGS,
      counter: flag.choice("C", "how tokens are counted: %s (an estimate); default: chars", [
        "o200k",
        "chars",
      ]),
      chains: flag.choice("WHEN", "sessions joined to days of work, too: %s (default: yes)", [
        "no",
        "yes",
        "only",
      ]),
      html: asPage,
      windows: flag.list("LIST", "windows of the model (default: 64k for sessions, 128k for chains)"),
      head: flag.tokens("N", "tokens of system prompt and tools (default: 15k)"),
      prices: flag.choice(
        "P",
        "whose prices of cached tokens: %s (default: anthropic: read 0.1, write 1.25, output 5; openai: write 1)",
        ["anthropic", "openai"],
      ),
      ttl: flag.text("MIN", "minutes that a prompt cache lives, or never (default: 5)"),
    },
    examples: ["precis eval cost --sample", "precis eval cost --windows 64k,128k --ttl never"],
  },
  "eval rules": {
    summary:
      "Measures whether a user's rules survive word for word, in made conversations or in your own (--data).",
    args: "",
    flags: {
      ...MEASURE_FLAGS,
      ...contest("newest, precis and, with a summariser, precis+model", "4k,8k,16k"),
      times: flag.list("LIST", "compactions in a row (default: 1,10,50)"),
      languages: flag.list("LIST", "of en, de, fr, es, pt, ru, ar, zh, ja (default: all)"),
      ...ASKED_FLAGS,
      data: flag.text("DIR", "measure recorded conversations (default: made ones)"),
    },
    notes: ["It calls a model only with --summarizer."],
    examples: ["precis eval rules --sample", "precis eval rules --languages de,ja --sizes 8k"],
  },
  "eval judged": {
    summary:
      "Holds exams: readers answer from each contestant's context, a judge marks the answers without names.",
    args: "",
    flags: {
      exams: flag.list("LIST", "exams, or files with questions, or folders of them, with commas between"),
      reader: flag.text("M", "who answers: a model, NAME@URL, or mailbox:DIR"),
      judge: flag.text("M", "who marks the answers (default: the reader's model)"),
      ...contest("all that can", "S,2S with a recorded summary, otherwise 10%"),
      against: flag.text("ARM", "the arm that the others are compared with (default: recorded, else newest)"),
      trials: flag.count("N", "how often each exam is held (default: 3)"),
      questions: flag.count("N", "questions of each exam at most (default: all)"),
      oneByOne: flag.on("ask every arm one question at a time, as arms with recall are asked anyway"),
      atOnce: flag.count("N", "requests under way at the same time (default: 4)"),
      run: flag.text("DIR", "keeps the replies, so that a run can go on later (default: judged)"),
      data: MEASURE_FLAGS.data,
      counter,
      ...ASKED_FLAGS,
      json: MEASURE_FLAGS.json,
    },
    notes: ["It asks models, says first what that costs, and asks whether to go on."],
    examples: ["precis eval judged --exams exams --reader gpt-5-mini --judge mailbox:judge"],
  },
  "eval exam": {
    summary: "Writes questions with rubrics about a conversation of yours, for precis eval judged.",
    args: "FILE",
    lacks: "Which conversation? Give its file: precis eval exam FILE.",
    flags: {
      writer: flag.text("M", "who writes the questions: a model, NAME@URL, or mailbox:DIR"),
      questions: flag.count("N", "how many to write (default: 12)"),
      pick: FILE_FLAGS.pick,
      out: flag.text("FILE", "write the questions there instead of to stdout"),
      ...ASKED_FLAGS,
    },
    notes: ["It asks a model, says first what that costs, and asks whether to go on."],
    examples: ["precis eval exam session.jsonl --writer gpt-5-mini --out exams/session.json"],
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;

/** Commands of two words, by their first: what is said of all of them. */
export const GROUPS: Readonly<
  Record<string, Pick<Command, "summary" | "notes"> & { readonly default?: CommandName }>
> = {
  db: {
    summary: "Manages the gateway's database: status, backups, exports, clean-up.",
    default: "db status",
    notes: ["A database of another version is refused, and left as it is."],
  },
  eval: {
    summary: "Measures how much compacted conversations keep and what they cost (package @precis/eval).",
    notes: [
      "npm install --global @precis/eval adds these commands to those of @precis/gateway.",
      "retention, cost and rules call no model, and nothing leaves the machine. judged and exam ask models. No data comes with precis.",
      "The folder of --data must hold recorded conversations of your own, as .json, .jsonl or .traj files (plain or .gz) that precis replay reads: logs of Claude Code, Codex, pi, OpenHands or SWE-agent, or lists of { role, content } messages.",
    ],
  },
};

// @ts-check
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const docs = dirname(dirname(fileURLToPath(import.meta.url)));

/** Pages of the reference for people who write stores, tests or hosts of their own. */
const FOR_IMPLEMENTERS = ["state", "stores", "stream", "stream-json", "testing"].map((name) => `${name}.md`);

/**
 * The pages of a folder, by their titles.
 * @param {string} folder
 * @param {(file: string) => boolean} isWanted
 */
function pagesOf(folder, isWanted = () => true) {
  if (!existsSync(join(docs, folder))) return [];
  return readdirSync(join(docs, folder))
    .filter((name) => name.endsWith(".md") && isWanted(name))
    .sort()
    .map((name) => ({ text: titleOf(join(folder, name)), link: `/${folder}/${name.slice(0, -3)}` }));
}

/**
 * The first heading of a page.
 * @param {string} file
 */
function titleOf(file) {
  const title = /^# (.+)$/m.exec(readFileSync(join(docs, file), "utf8"))?.[1] ?? file;
  return title.replaceAll("`", "");
}

/**
 * Anchors are as on GitHub, so that a link works in both places; `scripts/check-examples.ts` checks them by the same rule.
 * @param {string} heading
 */
function slugify(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

/**
 * A link to a file that isn't on the site (the README, an example, a decision) leads nowhere there: it becomes plain text.
 * Whether such a file exists is checked by `scripts/check-examples.ts`.
 * @param {import("markdown-it").default} md
 */
function withoutOutsideLinks(md) {
  md.core.ruler.push("outside-links", (state) => {
    const page = state.env.relativePath ?? "";
    for (const { children } of state.tokens) {
      let inside = false;
      for (const token of children ?? []) {
        const href = token.attrGet("href") ?? "";
        if (
          token.type === "link_open" &&
          !/^[a-z]+:|^[#/]/.test(href) &&
          /^(?:\.\.|decisions)\//.test(posix.join(posix.dirname(page), href))
        )
          inside = true;
        if (!inside) continue;
        const ends = token.type === "link_close";
        if (token.type === "link_open" || ends) {
          token.type = "html_inline";
          token.tag = "";
          token.content = "";
          token.attrs = null;
        }
        if (ends) inside = false;
      }
    }
  });
}

/**
 * Gives each cell of a table the title of its column, which a phone shows before it (`theme/style.css`).
 * @param {import("markdown-it").default} md
 */
function withCellLabels(md) {
  md.core.ruler.push("cell-labels", (state) => {
    /** @type {string[]} */
    let titles = [];
    let column = 0;
    for (const [at, token] of state.tokens.entries()) {
      if (token.type === "thead_open") titles = [];
      if (token.type === "th_open") titles.push((state.tokens[at + 1]?.content ?? "").replace(/[`*]/g, ""));
      if (token.type === "tr_open") column = 0;
      if (token.type !== "td_open") continue;
      const title = titles[column++];
      if (title) token.attrSet("data-label", title);
    }
  });
}

export default defineConfig({
  title: "precis",
  description:
    "Keeps a conversation with a language model inside its token budget, and shows what the model sees.",
  srcExclude: ["decisions/**"],
  cleanUrls: true,
  lastUpdated: false,
  head: [["link", { rel: "icon", href: "/how-it-fits.svg" }]],
  markdown: {
    config: (md) => {
      withoutOutsideLinks(md);
      withCellLabels(md);
    },
    anchor: { slugify },
  },
  // The index of the search is one file; it is loaded when somebody searches.
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
  themeConfig: {
    search: {
      provider: "local",
      options: {
        miniSearch: {
          // Pages for people come before lists of names.
          searchOptions: {
            boostDocument: (/** @type {string} */ id) =>
              /\/generated\//.test(id) ? 0.2 : /\/tasks\/|\/start/.test(id) ? 3 : 1,
          },
        },
      },
    },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/start" },
      { text: "Tasks", link: "/tasks/agent-under-32k", activeMatch: "/tasks/" },
      { text: "Guides", link: "/guide/gateway", activeMatch: "/guide/" },
      { text: "Reference", link: "/reference/options", activeMatch: "/reference/" },
      { text: "Comparison", link: "/compare" },
    ],
    sidebar: [
      {
        text: "Start",
        items: [
          { text: "The first five minutes", link: "/start" },
          { text: "Which profile do I need?", link: "/reference/profiles" },
          { text: "Migrate from something else", link: "/guide/migrate" },
          { text: "Comparison", link: "/compare" },
          { text: "Check it yourself", link: "/check" },
        ],
      },
      {
        text: "Tasks",
        items: [
          { text: "Keep an agent under 32k", link: "/tasks/agent-under-32k" },
          { text: "A chat with a database", link: "/tasks/chat-with-a-database" },
          { text: "Serverless and edge", link: "/tasks/serverless" },
          { text: "Retrieval with citations", link: "/tasks/retrieval-with-citations" },
          { text: "On a laptop or a phone", link: "/tasks/on-device" },
          { text: "What does it cost?", link: "/tasks/cost" },
          { text: "Troubleshooting", link: "/tasks/troubleshooting" },
          { text: "Questions and answers", link: "/tasks/faq" },
        ],
      },
      { text: "SDKs", items: pagesOf("guide/sdk") },
      {
        text: "Guides",
        items: [
          { text: "The gateway", link: "/guide/gateway" },
          { text: "Clients", link: "/guide/clients" },
          { text: "Operating the gateway", link: "/guide/deploy" },
          { text: "Your data", link: "/guide/data" },
          { text: "The page", link: "/guide/page" },
          { text: "Summaries", link: "/guide/summaries" },
          { text: "Trust", link: "/guide/trust" },
          { text: "Thinking", link: "/guide/thinking" },
          { text: "Recall", link: "/guide/recall" },
          { text: "Streams", link: "/guide/stream" },
          { text: "Measure it on your own sessions", link: "/guide/eval" },
          { text: "Hold an exam", link: "/guide/exams" },
        ],
      },
      {
        text: "Reference",
        collapsed: true,
        items: pagesOf("reference", (file) => !FOR_IMPLEMENTERS.includes(file)),
      },
      {
        text: "For implementers",
        collapsed: true,
        items: [
          ...pagesOf("reference", (file) => FOR_IMPLEMENTERS.includes(file)),
          ...pagesOf("reference/generated"),
          { text: "Glossary", link: "/glossary" },
        ],
      },
    ].filter(({ items }) => items.length > 0),
  },
});

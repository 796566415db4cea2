import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const OUT = fileURLToPath(new URL("../dist/web", import.meta.url));
const EXAMPLES = fileURLToPath(new URL("../examples/", import.meta.url));

/** The example conversations, beside the page: a newcomer opens them with one click. */
const examples = (): Plugin => ({
  name: "examples",
  closeBundle() {
    for (const file of ["coding-session.jsonl", "retrieval-chat.json", "bicycle-repair.jsonl"])
      cpSync(`${EXAMPLES}${file}`, `${OUT}/examples/${file}`);
  },
});

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), examples()],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    // Nothing inline: the page's Content-Security-Policy allows only files of its own origin.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

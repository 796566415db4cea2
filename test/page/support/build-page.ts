import { execFileSync } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Builds the page if it isn't built, or older than its sources. */
export function buildPage(): void {
  const built = `${root}dist/web/index.html`;
  const sources = globSync(`${root}web/{src/**/*,*.ts,index.html}`).map((file) => statSync(file).mtimeMs);
  if (existsSync(built) && statSync(built).mtimeMs >= Math.max(...sources)) return;
  execFileSync(process.execPath, [`${root}node_modules/vite/bin/vite.js`, "build"], {
    cwd: `${root}web`,
    stdio: "pipe",
    // Test runners set another one, with which React is built for development.
    env: { ...process.env, NODE_ENV: "production" },
  });
}

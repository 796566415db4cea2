import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const read = (name: string) => readFile(new URL(`../${name}`, import.meta.url), "utf8");

it("the image is built with the packages of every workspace, and nothing of this machine", async () => {
  const { workspaces } = JSON.parse(await read("package.json")) as { workspaces: string[] };
  const dockerfile = await read("Dockerfile");
  const install = dockerfile.indexOf("npm ci");
  for (const workspace of workspaces) {
    const copied = dockerfile.indexOf(`COPY ${workspace}/package.json ${workspace}/`);
    expect(copied, workspace).toBeGreaterThan(0);
    expect(copied).toBeLessThan(install);
  }
  const ignored = (await read(".dockerignore")).split("\n");
  expect(ignored).toEqual(expect.arrayContaining([".git", "dist", "**/node_modules"]));
});

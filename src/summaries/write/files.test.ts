import { expect, test } from "vitest";
import { commonRoot, fromRoot } from "./files.ts";

test("the folder that saves most is said once, even if not all paths lie in it", () => {
  const paths = ["/home/dev/app/src/a.ts", "/home/dev/app/src/b.ts", "/home/dev/app/src/c.ts", "/etc/hosts"];
  expect(commonRoot(paths)).toBe("/home/dev/app/src/");
  expect(commonRoot([...paths, "/home/dev/app/README.md", "/home/dev/app/package.json"])).toBe(
    "/home/dev/app/",
  );
  expect(commonRoot(["/home/dev/app/src/a.ts", "/home/dev/app/src/a.ts"])).toBe("");
  expect(commonRoot(["src/a.ts", "src/b.ts", "C:\\x\\y\\z.ts"])).toBe("");
});

test("only paths that begin there are shortened", () => {
  const root = "/home/dev/app/src/";
  expect(fromRoot("cat /home/dev/app/src/a.ts && diff -u=/home/dev/app/src/b.ts x", root)).toBe(
    "cat a.ts && diff -u=b.ts x",
  );
  expect(fromRoot("/mnt/home/dev/app/src/a.ts", root)).toBe("/mnt/home/dev/app/src/a.ts");
  expect(fromRoot("/home/dev/app/src/a.ts", "")).toBe("/home/dev/app/src/a.ts");
});

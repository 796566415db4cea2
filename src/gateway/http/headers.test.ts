import { expect, it } from "vitest";
import { forwardedHeaders, returnedHeaders } from "./headers.ts";

it("headers that `connection` names stay on that connection, in both directions", () => {
  const headers = {
    connection: "Keep-Alive, X-Secret,authorization , ",
    "x-secret": "1",
    authorization: "Bearer a",
    "x-other": "2",
  };
  expect(forwardedHeaders(headers)).toEqual({ "x-other": "2" });
  const returned = returnedHeaders(headers);
  expect(returned["x-other"]).toBe("2");
  expect(returned).not.toHaveProperty("x-secret");
  expect(returned).not.toHaveProperty("authorization");
});

it.each(["keep-alive", "close", undefined])("a `connection` of %s names no header", (connection) => {
  const headers = { ...(connection !== undefined && { connection }), "x-other": "2" };
  expect(forwardedHeaders(headers)).toEqual({ "x-other": "2" });
});

import { expect, it } from "vitest";
import { forwardedHeaders, returnedHeaders } from "./upstream.ts";

it("headers that `connection` names stay on that connection, in both directions", () => {
  const headers = {
    connection: "Keep-Alive, X-Secret,authorization , ",
    "x-secret": "1",
    authorization: "Bearer a",
    "x-other": "2",
  };
  expect(forwardedHeaders(headers)).toEqual({ "x-other": "2" });
  const returned = returnedHeaders(headers, { url: new URL("http://a.example/v1") });
  expect(returned["x-other"]).toBe("2");
  expect(returned).not.toHaveProperty("x-secret");
  expect(returned).not.toHaveProperty("authorization");
});

it.each(["keep-alive", "close", undefined])("a `connection` of %s names no header", (connection) => {
  const headers = { ...(connection !== undefined && { connection }), "x-other": "2" };
  expect(forwardedHeaders(headers)).toEqual({ "x-other": "2" });
});

it("a key in the query of an upstream's address isn't told with a redirect", () => {
  const url = new URL("http://a.example/v1?key=secret-1234&v=2");
  const { location } = returnedHeaders(
    { location: "http://a.example/v1/models/?key=secret-1234&v=2" },
    { url },
  );
  expect(location).toBe("http://a.example/v1/models/?…");
});

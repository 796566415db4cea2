/** What an upstream sends must not run on the origin of precis's page, nor speak for that origin. */
import { afterEach, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, startUpstream } from "./own-upstream.ts";

let upstream: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

const ASKED = { model: "m", messages: [{ role: "user", content: "hi" }] };

async function start(answered: Record<string, string>, status = 200): Promise<void> {
  upstream = await startUpstream((_, __, response) => {
    response.writeHead(status, answered);
    response.end("<script>document.title = 'run'</script>");
  });
  gateway = await startGateway(upstreamAt(upstream.url));
}

const POST = (body: object) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

it.each([
  ["a path that precis has no part in", "/v1/html", undefined, 200],
  ["a chat's answer", "/v1/chat/completions", POST(ASKED), 200],
  ["a chat's failure", "/v1/chat/completions", POST(ASKED), 500],
  ["the list of models", "/v1/models", undefined, 200],
  ["a count", "/v1/messages/count_tokens", POST(ASKED), 200],
  ["an answer of the own API", "/api/status", undefined, 200],
  ["an error of the own API", "/api/nothing", undefined, 200],
  ["health", "/healthz", undefined, 200],
  ["metrics", "/metrics", undefined, 200],
  ["a path that doesn't exist", "/v1beta/models", undefined, 200],
])("%s runs nothing on the page's origin", async (_, path, init, status) => {
  await start({ "content-type": "text/html", "content-security-policy": "default-src *" }, status);
  const response = await fetch(gateway.url + path, init);
  await response.text();
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("content-security-policy")).toBe(
    "default-src 'none'; frame-ancestors 'none'; sandbox",
  );
});

it("the page keeps its own rules", async () => {
  await start({});
  const response = await fetch(`${gateway.url}/`);
  expect(response.headers.get("content-security-policy")).toContain("default-src 'self'");
});

it("an upstream's headers don't speak for this server's origin", async () => {
  const speaking = {
    "alt-svc": 'h2="evil.example:443"',
    "clear-site-data": '"*"',
    "set-cookie": "a=b",
    refresh: "0; url=https://evil.example",
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "*",
    "service-worker-allowed": "/",
  };
  await start({ "content-type": "text/plain", "x-own": "1", ...speaking });
  const { headers } = await fetch(`${gateway.url}/v1/anything`);
  for (const name of Object.keys(speaking)) expect(headers.get(name)).toBeNull();
  expect(headers.get("x-own")).toBe("1");
});

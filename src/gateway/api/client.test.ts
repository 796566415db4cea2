import { expect, it } from "vitest";
import { type ApiFailure, createApiClient } from "./client.ts";
import { routes } from "./routes.ts";

const UNREACHABLE = { message: "It isn't there.", fix: "Start it." };
const BROKEN_OFF = { message: "It broke off.", fix: "Wait." };
const clientOf = (fetcher: () => Response) =>
  createApiClient({ fetch: async () => fetcher(), unreachable: UNREACHABLE, brokenOff: BROKEN_OFF });

async function eventsOf(pieces: readonly string[], end: "close" | "break" = "close") {
  const encoder = new TextEncoder();
  const left = [...pieces];
  const body = new ReadableStream({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(encoder.encode(piece));
      else if (end === "close") controller.close();
      else controller.error(new Error("reset"));
    },
  });
  const events: unknown[] = [];
  const stream = clientOf(() => new Response(body)).stream(routes.events);
  for await (const event of stream) events.push(event);
  return events;
}

it("reads the same events however the bytes are cut", async () => {
  const text = 'id: 7\ndata: {"a":1}\n\n: still here\n\ndata: [1,\ndata: 2]\n\n';
  const whole = await eventsOf([text]);
  expect(whole).toEqual([
    { id: "7", event: { a: 1 } },
    { id: "7", event: [1, 2] },
  ]);
  expect(await eventsOf([...text])).toEqual(whole);
});

it("leaves out an event that was cut off", async () => {
  expect(await eventsOf(['data: "whole"\n\ndata: "cut"'])).toEqual([{ id: undefined, event: "whole" }]);
});

it("says in words that a connection broke, couldn't be made, or was refused", async () => {
  await expect(eventsOf(['data: "whole"\n\n'], "break")).rejects.toMatchObject({
    code: "offline",
    ...BROKEN_OFF,
  });
  const refused = clientOf(() => {
    throw new TypeError("fetch failed");
  });
  await expect(refused.call(routes.status)).rejects.toMatchObject({ status: 0, ...UNREACHABLE });
  const error = { code: "invalid", message: "No. Give another.", fix: "Give another." };
  const failure = await clientOf(() => Response.json({ error }, { status: 400 }))
    .call(routes.status)
    .catch((cause: ApiFailure) => cause);
  expect(failure).toMatchObject({ status: 400, ...error });
  // The advice stands in the message already.
  expect((failure as ApiFailure).trouble).toEqual({ message: error.message });
});

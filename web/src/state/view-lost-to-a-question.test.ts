/** Whoever asked "What if?" before the view had come saw "Loading" for ever once the question was taken back. */
import { expect, it, vi } from "vitest";
import { routes } from "../../../src/gateway/api.ts";
import type { Api } from "./api-client.ts";
import { createInspection } from "./inspection.ts";

/** A server whose view comes when the test says so, and which has no answer to any question. */
function slowView() {
  const view = Promise.withResolvers<unknown>();
  const api = {
    call: (route: unknown) =>
      route === routes.view ? view.promise : Promise.reject(new Error("1.5 is no window")),
  } as unknown as Api;
  return { api, view };
}

it("the view is there after a question that came before it was taken back", async () => {
  const { api, view } = slowView();
  const inspection = createInspection(api, "c1", { settleMs: 0 });
  const loaded = inspection.load();
  inspection.try({ window: 1.5 });
  await vi.waitFor(() => expect(inspection.store.get().error).toBeDefined());
  view.resolve({ tokens: {} });
  await loaded;
  inspection.try({});
  const { view: shown, error, isLoading } = inspection.store.get();
  expect({ shown, error, isLoading }).toEqual({ shown: { tokens: {} }, error: undefined, isLoading: false });
});

it("a view that failed beside a question is asked for again once that is taken back", async () => {
  const { api, view } = slowView();
  const inspection = createInspection(api, "c1", { settleMs: 0 });
  const loaded = inspection.load();
  inspection.try({ window: 1.5 });
  view.reject(new Error("away"));
  await loaded;
  inspection.try({});
  await vi.waitFor(() => expect(inspection.store.get().error?.message).toContain("away"));
  expect(inspection.store.get().isLoading).toBe(false);
});

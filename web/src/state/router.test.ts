/** An address is all that a reload and Back know. */
import { expect, it } from "vitest";
import { createRouter, type Place, pathOf } from "./router.ts";

function open(path: string) {
  const location = { pathname: "", search: "", hash: "" };
  const visit = (to: string) => {
    const { pathname, search, hash } = new URL(to, "http://page");
    Object.assign(location, { pathname, search, hash });
  };
  visit(path);
  const state = (_: unknown, __: string, to: string) => visit(to);
  return createRouter({
    location,
    history: { pushState: state, replaceState: state },
    addEventListener: () => {},
  } as unknown as Window);
}

it.each<Place>([
  { page: "home" },
  { page: "chat", id: "a b", tab: "timeline" },
  { page: "chat", id: "a", tab: "chat", message: 7 },
  { page: "gateway", filters: {} },
  { page: "gateway", filters: { from: "summary", search: "50 % & more", hours: "24" } },
  { page: "request", id: "r" },
])("%j is kept in its address", (place) => {
  expect(open(pathOf(place)).store.get().place).toEqual(place);
});

it("what an address says beyond the filters of the list is left out, and so is an empty one", () => {
  expect(open("/gateway?model=gpt&other=1&search=").store.get().place).toEqual({
    page: "gateway",
    filters: { model: "gpt" },
  });
  expect(pathOf({ page: "gateway", filters: { model: "", search: "" } })).toBe("/gateway");
});

it("an address that leads nowhere isn't taken for the start", () => {
  expect(open("/nope").store.get().place).toEqual({ page: "nowhere", path: "/nope" });
});

import type { ServedApi } from "../../../src/apis/shared/api.ts";
import { toyApi } from "./api.ts";

export const toyServed: ServedApi = {
  ...toyApi,
  endMarkers: [],
  withoutThinking: (body) => body,
  chat: { fields: {}, cap: undefined },
  movesLaterSystem: false,
};

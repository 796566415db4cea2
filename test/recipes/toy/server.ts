import { type ServedApi, usageIn } from "../../../src/apis/shared/served-api.ts";
import { toyApi } from "./api.ts";

export const toyServed: ServedApi = {
  ...toyApi,
  endMarkers: [],
  withUsage: usageIn("usage"),
  inputField: "input",
  withoutThinking: (body) => body,
  chat: { fields: {}, cap: undefined },
  isProvider: () => false,
  convention: "openai",
  movesLaterSystem: false,
};

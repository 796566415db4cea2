import type { ModelsAnswer } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";

/** What the models are called in a list, each name once. Where several servers have a model, the first of them answers, and it says so. */
export function modelTexts(answer: ModelsAnswer | undefined): ReadonlyMap<string, string> {
  const servers = Map.groupBy(answer?.models ?? [], ({ id }) => id);
  return new Map(
    [...servers].map(([id, [first, ...others]]) => [
      id,
      others.some(({ upstream }) => upstream !== first!.upstream)
        ? strings.chat.modelAt(id, first!.upstream)
        : id,
    ]),
  );
}

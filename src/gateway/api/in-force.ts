import type { ChatSettings, SettingsAnswer } from "./settings.ts";

/** Who says what a setting is: nearest first, and the first that says something wins. */
export type SettingOrigin = "chat" | "page" | "upstream" | "config" | "profile" | "built-in";

/** A setting as it holds. */
export interface SettingInForce<K extends keyof ChatSettings = keyof ChatSettings> {
  /** Undefined: nobody says anything, and precis decides by the conversation. */
  readonly value: ChatSettings[K] | undefined;
  readonly from: SettingOrigin;
}

/** Where a setting is looked for. */
export interface SettingLevels {
  readonly answer: Pick<SettingsAnswer, "settings" | "given">;
  /** Of one chat; left out: what holds for chats that have none of their own. */
  readonly chat?: ChatSettings | undefined;
  /** The upstream that the chat's model is at. */
  readonly upstream?: string | undefined;
}

/** What a setting is, and who says so. */
export function inForce<K extends keyof ChatSettings>(name: K, levels: SettingLevels): SettingInForce<K> {
  const { answer, chat, upstream } = levels;
  const { given } = answer;
  const profile = name === "profile" ? undefined : inForce("profile", levels).value;
  const sets: readonly (readonly [SettingOrigin, ChatSettings | undefined])[] = [
    ["chat", chat],
    ["page", answer.settings],
    ["upstream", upstream === undefined ? undefined : given.upstreams[upstream]],
    ["config", given.config],
    ["profile", profile && given.profiles[profile]],
  ];
  const found = sets.find(([, settings]) => settings?.[name] !== undefined);
  return found
    ? { value: found[1]?.[name], from: found[0] }
    : { value: given.builtIn[name], from: "built-in" };
}

import type { ModelsAnswer, SettingsAnswer, Status } from "../../../src/gateway/api.ts";

/** Something that a person is told at the edge of the page. */
export interface Toast {
  readonly kind: "info" | "error";
  readonly message: string;
  readonly fix?: string;
}

/** What all of the page knows. */
export interface AppState {
  readonly status: Status | undefined;
  readonly models: ModelsAnswer | undefined;
  readonly settings: SettingsAnswer | undefined;
  readonly toast: Toast | undefined;
  /** A recorded stream that is looked at. */
  readonly recording: { readonly name: string; readonly text: string } | undefined;
  /** A file is being read, or a conversation made. */
  readonly opening: string | undefined;
}

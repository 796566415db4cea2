import { PrecisError } from "../core/errors.ts";

/** A flag or a variable has a value that can't work. Named as whoever set it wrote it. */
export class SettingError extends PrecisError {
  readonly code = "setting";
  /** `--port` or `PRECIS_PORT`. */
  readonly setting: string;

  /** Without a value, for settings that hold secrets, only the setting is named. */
  constructor(fields: { setting: string; value?: string; problem: string; fix: string }) {
    const { setting, value, problem, fix } = fields;
    const given = value === undefined ? "" : `${setting.startsWith("--") ? " " : "="}${value}`;
    super(`precis: ${setting}${given}: ${problem}`, fix);
    this.setting = setting;
  }
}

import { ConfigError } from "../../core/errors.ts";

/** Says in words why a server can't listen at an address, and what to choose instead. */
export function unlistenable(
  error: Error,
  { host, port }: { readonly host: string; readonly port: number },
): Error {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new ConfigError({
      option: "host",
      message: `this machine knows no address of ${host} (${code}).`,
      fix: "Give an address of this machine with --host: 127.0.0.1 for programs here, 0.0.0.0 for others, too.",
      cause: error,
    });
  if (code !== "EADDRINUSE" && code !== "EACCES" && code !== "EADDRNOTAVAIL") return error;
  return new ConfigError({
    option: code === "EADDRNOTAVAIL" ? "host" : "port",
    message:
      code === "EADDRINUSE" ? `${host}:${port} is in use.` : `${host}:${port} can't be bound (${code}).`,
    fix: "Choose another with --port or --host.",
    cause: error,
  });
}

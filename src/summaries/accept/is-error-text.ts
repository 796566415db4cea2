import { parseJson } from "../../core/parse-json.ts";

/** An error that arrived as an answer: proxies and servers send them with status 200. */

/** A longer text that mentions an error reports it. */
const MAX_ERROR = 600;
/** Share of lines that are frames of a stack trace. */
const TRACE_SHARE = 0.5;

const WHOLE: readonly RegExp[] = [
  /^(?:<!doctype html|<html[\s>]|<\?xml )/i,
  /^(?:undefined|null|NaN|\[object \w+\]|error)[.!]?$/i,
  /^data:\s*[{[]/,
];

const BEGINNINGS: readonly RegExp[] = [
  /^[\p{P}\p{S}\s]{0,4}(?:\w*error|\w*exception|fatal|panic|failed|failure|fehler|erreur|erro|errore|fout|błąd|ошибка|hata|错误|錯誤|エラー|오류|خطأ|lỗi)\s*(?:\(?(?:code|http)?\s*\d{3}\)?)?\s*[:：!\]–-]/iu,
  /^(?:\d{3}\s+)?(?:internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|too many requests|request time-?out|unauthorized|forbidden|not found|bad request|payload too large)\b/i,
  /^(?:error|failed|unable|could not|couldn['’]t) (?:generating|to generate|to create|creating|to summari[sz]e|summari[sz]ing|generate|create|summari[sz]e|while)\b/i,
  /^(?:an?|the) (?:unexpected |internal |unknown )?error (?:has )?occurred/i,
  /^(?:upstream (?:connect|request)|connection (?:refused|reset|timed out)|request (?:failed|timed out)|fetch failed|socket hang up|ECONN|ETIMEDOUT|ENOTFOUND)/i,
  /^(?:rate limit|quota|you exceeded your current quota|the model is (?:currently )?overloaded|overloaded|context length exceeded|maximum context length|this model's maximum)/i,
  /^(?:es ist ein (?:unerwarteter )?fehler|une erreur|ha ocurrido un error|ocorreu um erro|si è verificato un errore|произошла ошибка|发生(?:了)?错误|發生錯誤|エラーが発生|오류가 발생)/i,
];

const TRACE_LINE =
  /^\s*(?:at\s+\S.*(?::\d+|\(native\)|\([^)]*\))|File "[^"]+", line \d+|Traceback \(most recent call last\)|goroutine \d+|\.{3} \d+ more|Caused by: |[\w.$]+\([\w.]+\.java:\d+\)|\S+\.(?:go|rb|rs|php|c|cpp):\d+)/;

export function isErrorText(text: string): boolean {
  if (WHOLE.some((pattern) => pattern.test(text)) || isErrorBody(text) || isTrace(text)) return true;
  return text.length <= MAX_ERROR && BEGINNINGS.some((pattern) => pattern.test(text));
}

/** `{"error": {…}}`, `{"detail": "…"}`, `{"type":"error", …}`, `{"code": 500, "message": "…"}`. */
function isErrorBody(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  const value = parseJson(text);
  if (value === undefined)
    return text.length <= MAX_ERROR && /^[[{]\s*"(?:error|errors|detail)"\s*:/.test(text);
  const body: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof body !== "object" || body === null) return true;
  const keys = Object.keys(body);
  const record = body as Record<string, unknown>;
  return (
    keys.length === 0 ||
    ["error", "errors", "detail", "fault", "error_code"].some(
      (key) => key in record && record[key] !== null,
    ) ||
    record["type"] === "error" ||
    record["object"] === "error" ||
    record["success"] === false ||
    ("message" in record && ("code" in record || "status" in record || "statusCode" in record))
  );
}

function isTrace(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const frames = lines.filter((line) => TRACE_LINE.test(line)).length;
  return frames >= 2 && frames >= lines.length * TRACE_SHARE;
}

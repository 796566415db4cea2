/** What stands in the paths of this API. */

interface AskedByPath {
  readonly model: string;
  readonly method: "generateContent" | "streamGenerateContent" | "countTokens";
}

/** The model stands in the path, at Vertex behind project, place and publisher. */
const PATH =
  /^\/v1(?:beta\d*|alpha)?\/(?:[^?]*\/)?models\/([^/?:]+):(generateContent|streamGenerateContent|countTokens)(?=\?|$)/;

/** What a path of this API asks for; undefined if it is none of those that generate or count. */
export function askedByPath(path: string): AskedByPath | undefined {
  const [, model, method] = PATH.exec(path) ?? [];
  if (model === undefined || method === undefined) return undefined;
  return { model: decoded(model), method: method as AskedByPath["method"] };
}

/** Is the path one of this API, whatever it asks for? Everything else of it is Google's. */
export function isGeminiPath(path: string): boolean {
  return /^(?:\/upload\/v1|\/v1(?:beta\d*|alpha)\/)/.test(path) || askedByPath(path) !== undefined;
}

/** The path at which the provider counts what another path asks for. */
export function countingPath(path: string): string {
  return path
    .replace(/:(?:generateContent|streamGenerateContent)(?=\?|$)/, ":countTokens")
    .replace(/\?.*$/, "");
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

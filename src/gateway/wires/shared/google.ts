/** Google's own servers for Gemini, and those of its cloud. */
export function isGoogle(hostname: string): boolean {
  return hostname === "generativelanguage.googleapis.com" || hostname.endsWith("aiplatform.googleapis.com");
}

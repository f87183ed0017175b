import type { Response } from "../message/response.ts";
/** Content coding of a body (RFC 9110 §8.4.1). */
export type ContentCoding = "br" | "zstd" | "gzip" | "identity";

/**
 * Returns the offered coding with the highest weight in `Accept-Encoding`; of equal ones, the first (RFC 9110 §12.5.3).
 * Without an accepted one it is `identity`: an uncompressed response is more useful than a 406.
 */
export function chooseContentCoding(header: string | undefined, offered: readonly ContentCoding[]): ContentCoding {
  if (header === undefined || header === "") return "identity";
  const weights = new Map(parseWeights(header).map(([name, weight]) => [name === "x-gzip" ? "gzip" : name, weight]));
  const weightOf = (coding: ContentCoding): number => weights.get(coding) ?? weights.get("*") ?? 0;
  let best: ContentCoding = "identity";
  let bestWeight = weights.get("identity") ?? 0;
  for (const coding of offered) {
    const weight = weightOf(coding);
    if (weight === 0 || weight < bestWeight || (weight === bestWeight && best !== "identity")) continue;
    best = coding;
    bestWeight = weight;
  }
  return best;
}

/**
 * Returns the values of an `Accept-…` header in lower case, at most 32, with their weights from 0 to 1 (RFC 9110 §12.4.2). An invalid
 * weight counts as 0, so that the value is not used.
 */
export function parseWeights(header: string): readonly (readonly [value: string, weight: number])[] {
  return header.split(",", 32).map((item) => {
    const [value = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return [value, weight === undefined ? 1 : parseWeight(weight)];
  });
}

const parseWeight = (text: string): number => (/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0);

/** Returns the response with a header name added to `Vary` (RFC 9110 §12.5.5). `name` is in lower case. */
export function withVary(response: Response, name: string): Response {
  const vary = response.header("vary");
  if (vary === undefined) return response.withHeader("vary", name);
  const names = vary.split(",").map((listedName) => listedName.trim().toLowerCase());
  return names.includes(name) || names.includes("*") ? response : response.withHeader("vary", `${vary}, ${name}`);
}

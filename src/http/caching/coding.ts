/** A way to write a content shorter (RFC 9110 §8.4.1), or not at all. */
export type Coding = "br" | "zstd" | "gzip" | "identity";

/**
 * The coding that a client likes best among those on offer, by the q-values of its `Accept-Encoding`; among equals
 * the one that is offered first (RFC 9110 §12.5.3).
 *
 * Without the header, and where nothing on offer is wanted, it is `identity`: sending something the client did not
 * ask for in words is better than a 406 that it cannot act on.
 */
export function chooseCoding(header: string | undefined, offered: readonly Coding[]): Coding {
  if (header === undefined || header === "") return "identity";
  const wishes = parseWishes(header);
  const wish = (coding: Coding): number => wishes.get(coding) ?? wishes.get("*") ?? 0;
  let best: Coding = "identity";
  let bestWish = wishes.get("identity") ?? 0;
  for (const coding of offered) {
    if (wish(coding) === 0 || wish(coding) < bestWish || (wish(coding) === bestWish && best !== "identity")) continue;
    best = coding;
    bestWish = wish(coding);
  }
  return best;
}

/** The header's codings with their weights, from 0 to 1. A weight that is none counts as 0: better plain than wrong. */
function parseWishes(header: string): ReadonlyMap<string, number> {
  const wishes = new Map<string, number>();
  for (const item of header.split(",", 32)) {
    const [coding = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    wishes.set(coding === "x-gzip" ? "gzip" : coding, weight === undefined ? 1 : parseWeight(weight));
  }
  return wishes;
}

function parseWeight(text: string): number {
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}

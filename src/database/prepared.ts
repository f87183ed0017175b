import type { DialectName, Prepared } from "./contract.ts";

// Servers keep named statements per connection until it ends: an application with more texts than this makes them of
// its data, and those are better sent unnamed.
const maxNamed = 500;

const known: Readonly<Record<DialectName, Map<string, Prepared>>> = {
  sqlite: new Map(),
  postgresql: new Map(),
  mariadb: new Map(),
};

let names = 0;

/** The one `Prepared` of a text: named, and the same at each call, as long as there are not too many. */
export function prepare(text: string, dialect: DialectName): Prepared {
  const texts = known[dialect];
  const found = texts.get(text);
  if (found !== undefined) return found;
  const canName = texts.size < maxNamed;
  const prepared = Object.freeze({ text, name: canName ? `limmat_${++names}` : undefined, reads: onlyReads(text) });
  if (canName) texts.set(text, prepared);
  return prepared;
}

const readingStart = /^\s*(?:select|with|values)\b/i;
const writingWord = /\b(?:insert|update|delete|merge|replace|into|lock|share|nextval|setval)\b/i;

/** Whether a statement surely only reads. A word such as "delete" anywhere makes it one that may write. */
function onlyReads(text: string): boolean {
  return readingStart.test(text) && !writingWord.test(text);
}

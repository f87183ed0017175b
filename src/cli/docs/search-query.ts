/** Query of the documentation's search. */
export interface Query {
  /** Patterns of the words, with the flag `g`. Each matches the forms of a word: `cookies` finds `cookie`. */
  readonly words: readonly RegExp[];
  /** Text of the query in lower case, with single spaces. */
  readonly phrase: string;
  /** True if the query looks like the name of an export: `findOpt`, `Web.Csrf`. */
  readonly isName: boolean;
}

const maxWords = 10;

/** Words that tell nothing about the subject of a question. */
const fillers = new Set(["a", "an", "and", "can", "do", "for", "how", "i", "in", "is", "of", "the", "to", "with"]);

/** Returns the query of a text, or `undefined` for a text without words. */
export function parseQuery(text: string): Query | undefined {
  const all = [...new Set(text.toLowerCase().split(/\s+/))].filter((word) => word !== "");
  const subject = all.filter((word) => !fillers.has(word));
  const words = (subject.length === 0 ? all : subject).slice(0, maxWords);
  if (words.length === 0) return undefined;
  return {
    words: words.map(patternOf),
    phrase: words.join(" "),
    isName: /\w\.\w|[a-z][A-Z]/.test(text.trim()) && !/\s/.test(text.trim()),
  };
}

/**
 * Returns the pattern of a word. It matches at the beginning of a word, so that `rate` does not find `generate`, and of a part
 * of a name, so that `file` finds `UploadedFile`.
 */
function patternOf(word: string): RegExp {
  const escape = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
  if (!/^\w/.test(word)) return new RegExp(escape(word), "gi");
  // With an underscore or a digit it is an error code, a name or a number.
  if (!/^[a-z]+$/.test(word)) return new RegExp(`(?<![A-Za-z0-9])${escape(word)}`, "gi");
  const stem = word.replace(/(?<=^.{4,})(?:ions?|ings?|ies|ied|ed|es|s|e|y)$/, "");
  const rest = stem === word ? "" : "[a-z]*";
  const capitalized = stem.charAt(0).toUpperCase() + stem.slice(1);
  return new RegExp(`(?<![A-Za-z0-9])(?i:${stem}${rest})|(?<=[a-z0-9])${capitalized}${rest}`, "g");
}

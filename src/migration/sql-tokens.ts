import type { DialectName } from "../database/index.ts";

/** Token of an SQL text. Comments and white space are none. */
export interface SqlToken {
  /** `name`: quoted identifier; `word`: keyword or identifier; `literal`: text or number; `symbol`: one other character. */
  readonly kind: "word" | "name" | "literal" | "symbol";
  /** Text in lower case; of a quoted identifier without the quotes and in its own case. */
  readonly text: string;
  /** Position of the token in the parsed text. */
  readonly start: number;
  /** Position behind the token. */
  readonly end: number;
}

/** Statement of an SQL text, without its semicolon. */
export interface SqlStatement {
  readonly text: string;
  /** Text that was parsed, to which the positions of the tokens refer. */
  readonly source: string;
  readonly tokens: readonly SqlToken[];
}

const patterns = {
  space: /\s+|--[^\n]*/y,
  comment: /\/\*[\s\S]*?\*\//y,
  hashComment: /#[^\n]*/y,
  text: /'(?:[^']|'')*'/y,
  escapedText: /e'(?:[^'\\]|\\[\s\S]|'')*'/iy,
  dollarText: /(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\1/y,
  quoted: /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]\s]+\]/y,
  word: /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y,
  number: /\d[\w.]*/y,
};

function match(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0];
}

/** Splits an SQL text into its statements. Statements without tokens, such as comments at the end, are left out. */
export function parseStatements(text: string, dialect: DialectName): readonly SqlStatement[] {
  const statements: SqlStatement[] = [];
  let tokens: SqlToken[] = [];
  let start = 0;
  let blockDepth = 0;
  const end = (index: number): void => {
    if (tokens.length > 0) statements.push({ text: text.slice(start, index).trim(), source: text, tokens });
    tokens = [];
    start = index + 1;
    blockDepth = 0;
  };
  for (let index = 0; index < text.length;) {
    const skipped =
      match(patterns.space, text, index) ??
      match(patterns.comment, text, index) ??
      (dialect === "mariadb" ? match(patterns.hashComment, text, index) : undefined);
    if (skipped !== undefined) {
      index += skipped.length;
      continue;
    }
    const token = readToken(text, index, dialect);
    if (token.kind === "word") blockDepth = Math.max(0, blockDepth + blockChange(token.text, tokens));
    if (token.text === ";" && token.kind === "symbol" && blockDepth === 0) end(index);
    else tokens.push(token);
    index = token.end;
  }
  end(text.length);
  return statements;
}

/** Returns the change of the depth of `begin … end` blocks in the body of a trigger or routine. */
function blockChange(word: string, before: readonly SqlToken[]): number {
  const isRoutine =
    before[0]?.text === "create" &&
    before.some(({ kind, text }) => kind === "word" && /^(?:trigger|function|procedure|event)$/.test(text));
  if (!isRoutine) return 0;
  // `end if` closes no `begin`: the depth counts `if` only after `end`.
  if (keyword(before.at(-1)) === "end") return /^(?:if|loop|while|repeat)$/.test(word) ? 1 : 0;
  if (word === "begin" || word === "case") return 1;
  return word === "end" ? -1 : 0;
}

function readToken(text: string, index: number, dialect: DialectName): SqlToken {
  const token = (kind: SqlToken["kind"], content: string, length: number): SqlToken => ({
    kind,
    text: content,
    start: index,
    end: index + length,
  });
  const literal =
    (dialect === "postgresql"
      ? (match(patterns.escapedText, text, index) ?? match(patterns.dollarText, text, index))
      : undefined) ??
    match(patterns.text, text, index) ??
    match(patterns.number, text, index);
  if (literal !== undefined) return token("literal", literal.toLowerCase(), literal.length);
  // PostgreSQL has brackets for arrays.
  const quoted = text[index] === "[" && dialect !== "sqlite" ? undefined : match(patterns.quoted, text, index);
  if (quoted !== undefined) return token("name", quoted.slice(1, -1), quoted.length);
  const word = match(patterns.word, text, index);
  if (word !== undefined) return token("word", word.toLowerCase(), word.length);
  return token("symbol", text[index] ?? "", 1);
}

/** Text of a token if it is a keyword, otherwise empty. */
export const keyword = (token: SqlToken | undefined): string => (token?.kind === "word" ? token.text : "");

/** Returns the index of the first of some keywords that follow each other in the tokens, or -1. */
export const keywordsAt = (tokens: readonly SqlToken[], ...words: readonly string[]): number =>
  tokens.findIndex((_, index) => words.every((word, offset) => keyword(tokens[index + offset]) === word));

/** Returns true if the keywords follow each other anywhere in the tokens. */
export const hasKeywords = (tokens: readonly SqlToken[], ...words: readonly string[]): boolean =>
  keywordsAt(tokens, ...words) !== -1;

/** Returns a function that is true for a token with this symbol. */
export const isSymbol =
  (symbol: string) =>
  (token: SqlToken | undefined): boolean =>
    token?.kind === "symbol" && token.text === symbol;

/** Returns the index of the parenthesis that closes the one at `open`. */
export function closingIndex(tokens: readonly SqlToken[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    if (isSymbol("(")(tokens[index])) depth += 1;
    if (isSymbol(")")(tokens[index]) && --depth === 0) return index;
  }
  return tokens.length;
}

/** Splits tokens at the commas outside of parentheses. */
export function splitAtCommas(tokens: readonly SqlToken[]): readonly (readonly SqlToken[])[] {
  const parts: SqlToken[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (isSymbol("(")(token)) depth += 1;
    if (isSymbol(")")(token)) depth -= 1;
    if (isSymbol(",")(token) && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts.filter((part) => part.length > 0);
}

/** Returns the parts of the parentheses that open at an index, divided by commas. None if no parenthesis opens there. */
export const partsAt = (tokens: readonly SqlToken[], open: number): readonly (readonly SqlToken[])[] =>
  isSymbol("(")(tokens[open]) ? splitAtCommas(tokens.slice(open + 1, closingIndex(tokens, open))) : [];

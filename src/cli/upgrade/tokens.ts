/** Kind of a token. A `template` token is the text of a template string outside of its expressions. */
export type TokenKind = "name" | "string" | "template" | "number" | "regexp" | "comment" | "sign";

/** Token of a TypeScript program. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Index of the first character in the program. */
  readonly start: number;
}

const patterns: readonly (readonly [kind: TokenKind, pattern: RegExp])[] = [
  ["comment", /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/y],
  ["name", /#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy],
  ["number", /\.?\d(?:[eE][+-]|[\w.])*/y],
  ["string", /"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'/y],
  ["sign", /=>|\+\+|--|\?\.(?!\d)|\.\.\.|[^]/y],
];
const regexpPattern = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y;
const templatePart = /(?:\\[^]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y;

/** Signs after which a slash is a division, or ends a JSX element. */
const precedesDivision = /^(?:[)\]}<]|\+\+|--)$/;

/** Keywords after which a value begins. */
const operatorNames = /^(?:from|import|return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield|instanceof)$/;

/**
 * Returns the tokens of a TypeScript program without blanks. Expressions in template strings are tokens, too.
 *
 * Text between JSX elements is read as code. An apostrophe in a word, and a quote that does not end on its line, are signs, so
 * that they do not hide the code after them.
 */
export function tokenize(code: string): readonly Token[] {
  const tokens: Token[] = [];
  /** Number of open braces in each template expression around the current position. */
  const expressions: number[] = [];
  let index = 0;
  const push = (kind: TokenKind, text: string): void => {
    tokens.push({ kind, text, start: index });
    index += text.length;
  };
  const pushTemplate = (prefix: string): void => {
    templatePart.lastIndex = index + prefix.length;
    const text = prefix + (templatePart.exec(code)?.[0] ?? "");
    if (text.endsWith("${")) expressions.push(0);
    push("template", text);
  };
  while (index < code.length) {
    const char = code[index] ?? "";
    const depth = expressions.at(-1);
    if (/\s/.test(char)) index += 1;
    else if (char === "`") pushTemplate("`");
    else if (char === "}" && depth === 0) {
      expressions.pop();
      pushTemplate("}");
    } else {
      if (depth !== undefined && (char === "{" || char === "}")) {
        expressions[expressions.length - 1] = depth + (char === "{" ? 1 : -1);
      }
      push(...nextToken(code, index, lastValue(tokens)));
    }
  }
  return tokens;
}

/** Returns the last token that is not a comment. */
const lastValue = (tokens: readonly Token[]): Token | undefined => tokens.findLast(({ kind }) => kind !== "comment");

function nextToken(code: string, index: number, previous: Token | undefined): readonly [TokenKind, string] {
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = index;
    return pattern.exec(code)?.[0];
  };
  const isComment = /^\/[/*]/.test(code.slice(index, index + 2));
  if (code[index] === "/" && !isComment && canBeginRegexp(previous)) {
    const text = match(regexpPattern);
    if (text !== undefined) return ["regexp", text];
  }
  const isInWord = previous?.kind === "name" && previous.start + previous.text.length === index;
  if (code[index] === "'" && isInWord && !operatorNames.test(previous.text)) return ["sign", "'"];
  for (const [kind, pattern] of patterns) {
    const text = match(pattern);
    if (text !== undefined) return [kind, text];
  }
  return ["sign", code[index] ?? ""];
}

function canBeginRegexp(previous: Token | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.kind === "sign") return !precedesDivision.test(previous.text);
  if (previous.kind === "template") return previous.text.endsWith("${");
  return previous.kind === "name" && operatorNames.test(previous.text);
}

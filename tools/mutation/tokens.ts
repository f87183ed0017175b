/** A piece of a program: a name, a number, a text, a regular expression or a sign. */
export interface Token {
  readonly text: string;
  /** Where it begins in the program. */
  readonly at: number;
}

const token =
  /\/\/[^\n]*|\/\*[^]*?\*\/|`(?:\\[^]|[^`\\])*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_$][\w$]*|\d[\w.]*|===|!==|=>|<=|>=|&&|\|\||\?\?|\?\.|\*\*|\+\+|--|\.\.\.|[+\-*/]=|\s+|[^]/gy;

/** The tokens of a JavaScript program that do something: no blanks, comments, imports and lists of exports. */
export function scan(code: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < code.length;) {
    const text = isPattern(code, at, tokens.at(-1)?.text) ? pattern(code, at) : next(code, at);
    if (!/^\s|^\/[/*]/.test(text)) tokens.push({ text, at });
    at += text.length;
  }
  let isImport = false;
  return tokens.filter(({ text, at }, index) => {
    const beginsLine = code[at - 1] === "\n" || at === 0;
    if (beginsLine) isImport = text === "import" || (text === "export" && /[{*]/.test(tokens[index + 1]?.text ?? ""));
    return !isImport && text !== "export";
  });
}

/** Where what begins at a token ends: the first of the signs, or the bracket that closes around it, on the same level. */
export function endOf(tokens: readonly Token[], begin: number, signs: readonly string[]): number {
  let depth = 0;
  for (let index = begin; index < tokens.length; index++) {
    const { text } = tokens[index] as Token;
    if (depth === 0 && (signs.includes(text) || /^[)\]}]$/.test(text))) return index;
    if (/^[([{]$/.test(text)) depth += 1;
    if (/^[)\]}]$/.test(text)) depth -= 1;
  }
  return tokens.length;
}

/** Whether a slash begins a regular expression. */
function isPattern(code: string, at: number, before: string | undefined): boolean {
  if (code[at] !== "/" || /[/*]/.test(code[at + 1] ?? "")) return false;
  return before === undefined || /^[(,=:[!&|?{};]$|^(?:return|=>|&&|\|\||\?\?)$/.test(before);
}

function pattern(code: string, at: number): string {
  return /^\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+\/\w*/.exec(code.slice(at))?.[0] ?? "/";
}

function next(code: string, at: number): string {
  token.lastIndex = at;
  return token.exec(code)?.[0] ?? code.slice(at);
}

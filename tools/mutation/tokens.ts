/** Token of a JavaScript program: a name, a number, a string, a regular expression or punctuation. */
export interface Token {
  readonly text: string;
  /** Index of the first character in the program. */
  readonly start: number;
}

const tokenPattern =
  /\/\/[^\n]*|\/\*[^]*?\*\/|`(?:\\[^]|[^`\\])*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_$][\w$]*|\d[\w.]*|===|!==|=>|<=|>=|&&|\|\||\?\?|\?\.|\*\*|\+\+|--|\.\.\.|[+\-*/]=|\s+|[^]/gy;

/** Returns the tokens of a program without blanks, comments, imports and export lists. */
export function tokenize(code: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let start = 0; start < code.length;) {
    const isRegExp = startsRegExp(code, start, tokens.at(-1)?.text);
    const text = isRegExp ? matchRegExp(code, start) : matchToken(code, start);
    if (!/^\s|^\/[/*]/.test(text)) tokens.push({ text, start });
    start += text.length;
  }
  let isImport = false;
  return tokens.filter(({ text, start }, index) => {
    const beginsLine = code[start - 1] === "\n" || start === 0;
    if (beginsLine) isImport = text === "import" || (text === "export" && /[{*]/.test(tokens[index + 1]?.text ?? ""));
    return !isImport && text !== "export";
  });
}

/** Returns the index of the first end token, or of the enclosing closing bracket, on the nesting level of `begin`. */
export function findEnd(tokens: readonly Token[], begin: number, endTexts: readonly string[]): number {
  let depth = 0;
  for (let index = begin; index < tokens.length; index++) {
    const { text } = tokens[index] as Token;
    if (depth === 0 && (endTexts.includes(text) || /^[)\]}]$/.test(text))) return index;
    if (/^[([{]$/.test(text)) depth += 1;
    if (/^[)\]}]$/.test(text)) depth -= 1;
  }
  return tokens.length;
}

/** Returns true if the slash at an index begins a regular expression rather than a division. */
function startsRegExp(code: string, index: number, previousText: string | undefined): boolean {
  if (code[index] !== "/" || /[/*]/.test(code[index + 1] ?? "")) return false;
  return previousText === undefined || /^[(,=:[!&|?{};]$|^(?:return|=>|&&|\|\||\?\?)$/.test(previousText);
}

function matchRegExp(code: string, index: number): string {
  return /^\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+\/\w*/.exec(code.slice(index))?.[0] ?? "/";
}

function matchToken(code: string, index: number): string {
  tokenPattern.lastIndex = index;
  return tokenPattern.exec(code)?.[0] ?? code.slice(index);
}

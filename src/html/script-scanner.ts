/**
 * Scans the text of a script to decide whether a value would be in code. In a string, a comment, a template or a
 * regular expression, JSON is not safe.
 *
 * Without a full parser, `/` can be ambiguous: a division or the start of a regular expression. The scanner then follows
 * both readings. A position is in code only if all remaining readings agree.
 */
export class ScriptScanner {
  #states: readonly ScanState[] = [{ mode: "code", previousToken: "operator", word: "" }];

  /** Scans the next part of the script. */
  read(text: string): void {
    for (const char of text) this.#states = this.#states.flatMap((state) => nextStates(state, char)).slice(0, 16);
  }

  /** Returns true if the current position is in code in every reading. */
  isInCode(): boolean {
    return this.#states.length > 0 && this.#states.every(({ mode }) => mode === "code");
  }

  /** Continues after a value, in code. */
  skipValue(): void {
    this.#states = [{ mode: "code", previousToken: "value", word: "" }];
  }
}

type Mode =
  | "code"
  | "slash"
  | '"'
  | "'"
  | "`"
  | "template dollar"
  | "line comment"
  | "block comment"
  | "block comment star"
  | "regexp"
  | "regexp class"
  | "unknown";

interface ScanState {
  readonly mode: Mode;
  /** Kind of the last token. `/` divides after a value and opens a regular expression after an operator. */
  readonly previousToken: "value" | "operator" | "either";
  /** Word read so far, or `\` after a backslash. */
  readonly word: string;
}

const wordsBeforeValue = new Set(
  "return typeof case in of delete void throw new instanceof do else yield await default".split(" "),
);

function nextStates(state: ScanState, char: string): readonly ScanState[] {
  const { mode, previousToken } = state;
  const isEscaped = state.word === "\\";
  const enter = (next: Mode, token: ScanState["previousToken"] = previousToken, word = ""): readonly ScanState[] => [
    { mode: next, previousToken: token, word },
  ];
  const isLineEnd = /[\n\r\u2028\u2029]/.test(char);

  switch (mode) {
    case "code":
      return nextCodeStates(state, char);
    case "slash":
      if (char === "/") return enter("line comment");
      if (char === "*") return enter("block comment");
      return [
        ...(previousToken === "operator"
          ? []
          : nextCodeStates({ mode: "code", previousToken: "operator", word: "" }, char)),
        ...(previousToken === "value" ? [] : nextStates({ mode: "regexp", previousToken, word: "" }, char)),
      ];
    case '"':
    case "'":
      if (isEscaped) return enter(mode);
      if (char === "\\") return enter(mode, previousToken, "\\");
      if (char === "\n" || char === "\r") return [];
      return char === mode ? enter("code", "value") : [state];
    case "`":
    case "template dollar":
      if (isEscaped) return enter("`");
      if (char === "\\") return enter("`", previousToken, "\\");
      if (char === "`") return enter("code", "value");
      if (mode === "template dollar" && char === "{") return enter("unknown");
      return enter(char === "$" ? "template dollar" : "`");
    case "line comment":
      return isLineEnd ? enter("code") : [state];
    case "block comment":
    case "block comment star":
      if (mode === "block comment star" && char === "/") return enter("code");
      return enter(char === "*" ? "block comment star" : "block comment");
    case "regexp":
    case "regexp class":
      if (isLineEnd) return [];
      if (isEscaped) return enter(mode);
      if (char === "\\") return enter(mode, previousToken, "\\");
      if (mode === "regexp class") return enter(char === "]" ? "regexp" : "regexp class");
      if (char === "[") return enter("regexp class");
      return char === "/" ? enter("code", "value") : [state];
    default:
      return [state];
  }
}

function nextCodeStates({ previousToken, word }: ScanState, char: string): readonly ScanState[] {
  if (/[\w$\u0080-\uffff]/.test(char) && !/\s/.test(char)) {
    const longerWord = word + char;
    const token = wordsBeforeValue.has(longerWord) ? "operator" : "value";
    return [{ mode: "code", previousToken: token, word: longerWord }];
  }
  if (/\s/.test(char)) return [{ mode: "code", previousToken, word: "" }];
  if (char === "/") return [{ mode: "slash", previousToken, word: "" }];
  if (char === '"' || char === "'" || char === "`") return [{ mode: char, previousToken, word: "" }];
  if (char === ")" || char === "}") return [{ mode: "code", previousToken: "either", word: "" }];
  // `a++ / b` is a division: a regular expression cannot follow `++`.
  const isDoubled = (char === "+" || char === "-") && word === char;
  return [{ mode: "code", previousToken: char === "]" || isDoubled ? "value" : "operator", word: char }];
}

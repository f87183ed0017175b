/**
 * Follows the text of a script far enough to know whether a value would stand in code, or within a string, a comment, a
 * template or a regular expression, where JSON is not safe.
 *
 * Whether `/` divides or opens a regular expression cannot always be told without a parser. Both readings are then
 * followed, and code is only what all that remain agree on.
 */
export class ScriptPosition {
  #readings: readonly Reading[] = [{ mode: "code", before: "operator", word: "" }];

  /** Reads on. */
  read(text: string): void {
    for (const char of text) this.#readings = this.#readings.flatMap((reading) => step(reading, char)).slice(0, 16);
  }

  /** Whether a value may stand here: in code, by every reading. */
  isCode(): boolean {
    return this.#readings.length > 0 && this.#readings.every(({ mode }) => mode === "code");
  }

  /** Takes note that a value stands here. */
  value(): void {
    this.#readings = [{ mode: "code", before: "value", word: "" }];
  }
}

type Mode = "code" | "slash" | '"' | "'" | "`" | "dollar" | "line" | "block" | "star" | "regexp" | "class" | "lost";

interface Reading {
  readonly mode: Mode;
  /** What the last token was: a value divides, an operator expects a value, after a bracket it may be either. */
  readonly before: "value" | "operator" | "either";
  /** The word that is being read, or `\` after a backslash. */
  readonly word: string;
}

const expectsValue = new Set(
  "return typeof case in of delete void throw new instanceof do else yield await default".split(" "),
);

function step(reading: Reading, char: string): readonly Reading[] {
  const { mode, before } = reading;
  const isEscaped = reading.word === "\\";
  const go = (next: Mode, after: Reading["before"] = before, word = ""): readonly Reading[] => [
    { mode: next, before: after, word },
  ];
  const isLineEnd = /[\n\r\u2028\u2029]/.test(char);

  switch (mode) {
    case "code":
      return stepInCode(reading, char);
    case "slash":
      if (char === "/") return go("line");
      if (char === "*") return go("block");
      return [
        ...(before === "operator" ? [] : stepInCode({ mode: "code", before: "operator", word: "" }, char)),
        ...(before === "value" ? [] : step({ mode: "regexp", before, word: "" }, char)),
      ];
    case '"':
    case "'":
      if (isEscaped) return go(mode);
      if (char === "\\") return go(mode, before, "\\");
      if (char === "\n" || char === "\r") return [];
      return char === mode ? go("code", "value") : [reading];
    case "`":
    case "dollar":
      if (isEscaped) return go("`");
      if (char === "\\") return go("`", before, "\\");
      if (char === "`") return go("code", "value");
      if (mode === "dollar" && char === "{") return go("lost");
      return go(char === "$" ? "dollar" : "`");
    case "line":
      return isLineEnd ? go("code") : [reading];
    case "block":
    case "star":
      if (mode === "star" && char === "/") return go("code");
      return go(char === "*" ? "star" : "block");
    case "regexp":
    case "class":
      if (isLineEnd) return [];
      if (isEscaped) return go(mode);
      if (char === "\\") return go(mode, before, "\\");
      if (mode === "class") return go(char === "]" ? "regexp" : "class");
      if (char === "[") return go("class");
      return char === "/" ? go("code", "value") : [reading];
    default:
      return [reading];
  }
}

function stepInCode({ before, word }: Reading, char: string): readonly Reading[] {
  if (/[\w$\u0080-\uffff]/.test(char) && !/\s/.test(char)) {
    const longer = word + char;
    return [{ mode: "code", before: expectsValue.has(longer) ? "operator" : "value", word: longer }];
  }
  if (/\s/.test(char)) return [{ mode: "code", before, word: "" }];
  if (char === "/") return [{ mode: "slash", before, word: "" }];
  if (char === '"' || char === "'" || char === "`") return [{ mode: char, before, word: "" }];
  if (char === ")" || char === "}") return [{ mode: "code", before: "either", word: "" }];
  // `a++ / b` divides, and nothing else can follow `++` there.
  const isDoubled = (char === "+" || char === "-") && word === char;
  return [{ mode: "code", before: char === "]" || isDoubled ? "value" : "operator", word: char }];
}

/**
 * Kind of a token.
 *
 * - `template`: the text of a template string outside of its expressions
 * - `markup`: text in a JSX element, an attribute name, or the name of an element of HTML
 */
export type TokenKind = "name" | "string" | "template" | "number" | "regexp" | "comment" | "markup" | "sign";

/** Token of a program. */
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
const blanks = /\s+/y;
const regexpPattern = /\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y;
const templatePart = /(?:\\[^]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y;
/** Begin of a JSX element or fragment. In a JSX program, the type parameters of an arrow function need a comma or `extends`. */
const elementStart = /<(?=>|[\p{ID_Start}$_])(?![\w$]+\s*(?:,|=|extends\s))/uy;
const jsxName = /[\p{ID_Start}$_][\p{ID_Continue}$:-]*/uy;
const jsxText = /[^<{]+/y;
const jsxString = /"[^"]*"|'[^']*'/y;

/** Signs after which a slash is a division, and `<` a comparison. */
const precedesOperator = /^(?:[)\]}]|\+\+|--)$/;

/** Keywords after which a value begins. */
const operatorNames =
  /^(?:from|import|return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield|instanceof|default)$/;

/** Returns true for a file whose `<` can begin a JSX element, by its name. In other files it begins types. */
export const canHaveJsx = (path: string): boolean => /\.(?:[jt]sx|[cm]?js)$/.test(path);

/**
 * Returns the tokens of a program without blanks. Expressions in template strings and in JSX elements are tokens, too. Never
 * throws: the rest of a program that does not end properly is read as far as possible.
 */
export function tokenize(code: string, { hasJsx }: { readonly hasJsx: boolean }): readonly Token[] {
  const tokenizer = new Tokenizer(code, hasJsx);
  tokenizer.readCode();
  return tokenizer.tokens;
}

class Tokenizer {
  readonly tokens: Token[] = [];
  readonly #code: string;
  readonly #hasJsx: boolean;
  #index = 0;

  constructor(code: string, hasJsx: boolean) {
    this.#code = code;
    this.#hasJsx = hasJsx;
  }

  /** Reads to the end, or to the brace that closes the expression around the code. */
  readCode(isExpression = false): void {
    let depth = 0;
    for (this.#skip(blanks); this.#index < this.#code.length; this.#skip(blanks)) {
      if (isExpression && this.#isAt("}") && depth === 0) return;
      if (this.#isAt("{")) depth += 1;
      if (this.#isAt("}")) depth -= 1;
      if (this.#isAt("`")) this.#readTemplate();
      else if (!(this.#isAt("/") && canBeginValue(this.#last()) && this.#read("regexp", regexpPattern))) {
        if (!this.#readElement()) patterns.some(([kind, pattern]) => this.#read(kind, pattern));
      }
    }
  }

  #readTemplate(): void {
    this.#push("template", `\`${this.#match(templatePart, 1)}`);
    while (this.#last()?.text.endsWith("${") === true) {
      this.readCode(true);
      if (!this.#isAt("}")) return;
      this.#push("template", `}${this.#match(templatePart, 1)}`);
    }
  }

  /** Reads a JSX element. Returns false if there is none: an element that is not closed is a type parameter. */
  #readElement(): boolean {
    if (!this.#hasJsx || !this.#isAt("<") || !canBeginValue(this.#last())) return false;
    const [start, length] = [this.#index, this.tokens.length];
    if (this.#match(elementStart) !== "" && this.#readTag()) return true;
    this.#index = start;
    this.tokens.length = length;
    return false;
  }

  /** Reads the tag of an element, its attributes and its children. Returns false if it is not closed. */
  #readTag(): boolean {
    this.#push("sign", "<");
    const name = this.#readTagName();
    for (this.#skip(blanks); this.#index < this.#code.length; this.#skip(blanks)) {
      if (this.#isAt("/>")) return this.#pushSigns("/>");
      if (this.#isAt(">")) return this.#pushSigns(">") && this.#readChildren(name);
      if (this.#isAt("{")) {
        if (!this.#readBraces()) return false;
      } else if (this.#isAt("<")) {
        // The value of an attribute, or type arguments.
        if (this.#last()?.text !== "=" ? !this.#readTypes() : !this.#readTag()) return false;
      } else if (!this.#read("comment", patterns[0]?.[1] ?? blanks) && !this.#read("markup", jsxName)) {
        if (!this.#read("string", jsxString) && !(this.#isAt("=") && this.#pushSigns("="))) return false;
      }
    }
    return false;
  }

  #readChildren(name: string): boolean {
    while (this.#index < this.#code.length) {
      if (this.#isAt("</")) {
        this.#pushSigns("</");
        this.#skip(blanks);
        const isSame = this.#readTagName() === name;
        this.#skip(blanks);
        return isSame && this.#isAt(">") && this.#pushSigns(">");
      }
      if (this.#isAt("<") ? !this.#readTag() : this.#isAt("{") && !this.#readBraces()) return false;
      this.#read("markup", jsxText);
    }
    return false;
  }

  #readBraces(): boolean {
    this.#push("sign", "{");
    this.readCode(true);
    return this.#isAt("}") && this.#pushSigns("}");
  }

  #readTypes(): boolean {
    let depth = 0;
    do {
      if (this.#isAt("<")) depth += 1;
      if (this.#isAt(">")) depth -= 1;
      if (!patterns.some(([kind, pattern]) => this.#read(kind, pattern))) return false;
      this.#skip(blanks);
    } while (depth > 0);
    return true;
  }

  /** Reads `Name`, `Name.member` or the name of an element of HTML, and returns it. A fragment has none. */
  #readTagName(): string {
    const first = this.tokens.length;
    const isMember = /[\p{ID_Continue}$]+\s*\./uy;
    isMember.lastIndex = this.#index;
    const isComponent = isMember.test(this.#code) || /^[^\p{Ll}][^:-]*$/u.test(this.#match(jsxName));
    this.#read(isComponent ? "name" : "markup", jsxName);
    while (this.#isAt(".")) {
      this.#pushSigns(".");
      this.#read("name", jsxName);
    }
    return this.tokens
      .slice(first)
      .map(({ text }) => text)
      .join("");
  }

  /** Returns the last token that is not a comment. */
  #last(): Token | undefined {
    return this.tokens.findLast(({ kind }) => kind !== "comment");
  }

  #isAt(text: string): boolean {
    return this.#code.startsWith(text, this.#index);
  }

  /** Returns the text that a pattern matches some characters behind the current position; the empty text if it does not. */
  #match(pattern: RegExp, offset = 0): string {
    pattern.lastIndex = this.#index + offset;
    return pattern.exec(this.#code)?.[0] ?? "";
  }

  #skip(pattern: RegExp): void {
    this.#index += this.#match(pattern).length;
  }

  #read(kind: TokenKind, pattern: RegExp): boolean {
    const text = this.#match(pattern);
    if (text !== "") this.#push(kind, text);
    return text !== "";
  }

  #push(kind: TokenKind, text: string): void {
    this.tokens.push({ kind, text, start: this.#index });
    this.#index += text.length;
  }

  #pushSigns(text: string): true {
    for (const sign of text) this.#push("sign", sign);
    return true;
  }
}

function canBeginValue(previous: Token | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.kind === "sign") return !precedesOperator.test(previous.text);
  if (previous.kind === "template") return previous.text.endsWith("${");
  return previous.kind === "name" && operatorNames.test(previous.text);
}

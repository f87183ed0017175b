import type { Program } from "./program.ts";

/**
 * Meaning of a name in a program, as far as its tokens tell.
 *
 * - `reference`: stands for the declared value or type
 * - `shorthand`: a reference that is a name of its own as well: `{ name }`, `export { name }`
 * - `declaration`: declares a variable, a parameter or a type of this name
 * - `property`: name of a property, a method or a label
 * - `unclear`: a reference or one of the others
 */
export type NameUse = "reference" | "shorthand" | "declaration" | "property" | "unclear";

const declaring = /^(?:const|let|var|using|function|class|interface|type|enum|namespace|module|infer|import)$/;
const modifier = /^(?:readonly|static|public|private|protected|override|abstract|declare|accessor|async|get|set)$/;
const label = /^(?:break|continue)$/;

/** Names after which a value or a type can stand on the same line. */
const operator =
  /^(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield|instanceof|extends|implements|as|satisfies|keyof|is|asserts|unique|default|export|out)$/;

/** Names that can stand behind a value or a type on the same line. */
const infix = /^(?:in|of|instanceof|extends|implements|as|satisfies|is|from|else|while)$/;

/** Types of the language, whose names are not reserved: a program can import a value of the same name. */
const predefinedType = /^(?:any|bigint|boolean|never|number|object|string|symbol|undefined|unknown)$/;

/** Returns the meaning of the name at the index of a token. */
export function nameUse(program: Program, index: number): NameUse {
  return new NameAt(program, index).use();
}

class NameAt {
  readonly #program: Program;
  readonly #index: number;
  readonly #previous: string;
  readonly #next: string;
  /** Index of the bracket around the name, or -1. */
  readonly #bracket: number;

  constructor(program: Program, index: number) {
    this.#program = program;
    this.#index = index;
    this.#previous = this.#text(index - 1);
    this.#next = this.#text(index + 1);
    this.#bracket = program.enclosing(index);
  }

  use(): NameUse {
    if (/^\??\.$/.test(this.#previous)) return "property";
    if (label.test(this.#previous) && this.#isOnLineOfPrevious()) return "property";
    const exported = this.#exportList();
    if (exported !== undefined) return exported;
    if (this.#isTypeLabel()) return "property";
    const isInBraces = this.#text(this.#bracket) === "{";
    if (predefinedType.test(this.#text(this.#index))) return "unclear";
    if (this.#isArrayType()) return "reference";
    if (modifier.test(this.#previous) && this.#isOnLineOfPrevious()) return isInBraces ? "property" : "declaration";
    if (this.#isFurtherVariable()) return "declaration";
    if ((isInBraces || this.#bracket === -1) && this.#isKey()) return "property";
    if (isInBraces && this.#isMethod()) return "property";
    if (this.#isDeclaration()) return "declaration";
    if (isInBraces && /^[{,]$/.test(this.#previous) && /^[,}]$/.test(this.#next)) return "shorthand";
    return this.#isUnclear(isInBraces) ? "unclear" : "reference";
  }

  /** Returns the meaning of a name in `export { name }`: with `from` it belongs to another module, as in `export * as name`. */
  #exportList(): NameUse | undefined {
    if (this.#before(this.#index, /^as$/) === "* as") return "property";
    const isExport = /^(?:export|export type)$/.test(this.#before(this.#bracket, /^type$/));
    if (this.#text(this.#bracket) !== "{" || !isExport) return undefined;
    const isFromOther = this.#text(this.#program.closing(this.#bracket) + 1) === "from";
    return isFromOther || this.#previous === "as" ? "property" : "shorthand";
  }

  /** Returns true for the name in `[name: Type]`, of a tuple or an index signature. */
  #isTypeLabel(): boolean {
    return this.#text(this.#bracket) === "[" && /^(?:[[,]|\.\.\.)$/.test(this.#previous) && this.#precedesType();
  }

  /** Returns true for the type in `readonly name[]`, where `readonly` modifies no property. */
  #isArrayType(): boolean {
    return this.#previous === "readonly" && /^(?:\.|\[|<)$/.test(this.#next);
  }

  /** Returns the token before an index, with the one before that if it matches `word`. */
  #before(index: number, word: RegExp): string {
    const text = this.#text(index - 1);
    return word.test(text) ? `${this.#text(index - 2)} ${text}` : text;
  }

  /** Returns true for the key of an object literal or of a type, and for a label: `name: value`. */
  #isKey(): boolean {
    return this.#precedesType() && this.#beginsMember();
  }

  #precedesType(): boolean {
    return this.#next === ":" || (/^[?!]$/.test(this.#next) && this.#text(this.#index + 2) === ":");
  }

  /** Returns true for a method of an object literal, a class or a type: `name(…) {`, `name(…): Type`. */
  #isMethod(): boolean {
    const isGenerator = this.#previous === "*" && this.#text(this.#index - 2) !== "function";
    if (!this.#beginsMember() && !isGenerator) return false;
    const open = this.#next === "<" ? this.#skipTypeList(this.#index + 1) : this.#index + 1;
    if (this.#text(open) !== "(") return false;
    return /^[{:]$/.test(this.#text(this.#program.closing(open) + 1));
  }

  /** Returns the index after `<…>`. */
  #skipTypeList(open: number): number {
    let depth = 0;
    for (let index = open; index < this.#program.tokens.length; index++) {
      const text = this.#text(index);
      if (text === "<") depth += 1;
      if (text === ">") depth -= 1;
      if (depth === 0) return index + 1;
    }
    return -1;
  }

  /** Returns true if the name can be the first token of a member or a statement. */
  #beginsMember(): boolean {
    if (/^(?:[{,;})\]>]|)$/.test(this.#previous)) return true;
    const kind = this.#program.tokens[this.#index - 1]?.kind;
    // `void` can end a type.
    const isOperator = operator.test(this.#previous) && this.#previous !== "void";
    return kind !== "sign" && !isOperator && !this.#isOnLineOfPrevious();
  }

  #isOnLineOfPrevious(): boolean {
    return this.#isOnOneLine(this.#index - 1, this.#index);
  }

  #isOnOneLine(first: number, second: number): boolean {
    const [start, end] = [this.#program.tokens[first], this.#program.tokens[second]];
    return start !== undefined && end !== undefined && !this.#program.code.slice(start.start, end.start).includes("\n");
  }

  #isDeclaration(): boolean {
    const isFunction = this.#before(this.#index, /^\*$/) === "function *";
    if (isFunction || declaring.test(this.#previous)) return true;
    if (this.#next === "=>" || this.#isAssignment(this.#index + 1)) return true;
    // `[name in Keys]` of a mapped type.
    if (this.#previous === "[" && this.#next === "in") return true;
    return this.#isParameter() || this.#isInPattern() || this.#isTypeParameter();
  }

  /** Returns true for `=`, which assigns to no import: it begins the value of a variable, a parameter or a field. */
  #isAssignment(index: number): boolean {
    return this.#text(index) === "=" && !(this.#text(index + 1) === "=" && this.#isAdjacent(index));
  }

  #isAdjacent(index: number): boolean {
    return this.#program.tokens[index + 1]?.start === (this.#program.tokens[index]?.start ?? 0) + 1;
  }

  #isParameter(): boolean {
    // A parenthesis before it ends a decorator.
    if (this.#text(this.#bracket) !== "(" || !/^(?:[(,)]|\.\.\.)$/.test(this.#previous)) return false;
    if (this.#next === ":") return true;
    if (this.#next === "?") return /^[:,)]$/.test(this.#text(this.#index + 2));
    return /^[,)]$/.test(this.#next) && this.#isParameterList(this.#bracket);
  }

  /** Returns true for the parentheses of a function, also if they could be those of a call: `a ? f(name) : b`. */
  #isParameterList(open: number): boolean {
    if (/^(?:if|while|for|switch|with)$/.test(this.#text(open - 1))) return false;
    if (this.#text(open - 2) === "function") return true;
    return /^(?:=>|[{:])$/.test(this.#text(this.#program.closing(open) + 1));
  }

  /** Returns true for a name that a destructuring pattern declares or assigns. */
  #isInPattern(): boolean {
    if (!/^(?:[{[,:]|\.\.\.)$/.test(this.#previous) || !/^[,}\]]$/.test(this.#next)) return false;
    for (let bracket = this.#bracket; /^[{[]$/.test(this.#text(bracket)); bracket = this.#program.enclosing(bracket)) {
      const before = this.#text(bracket - 1);
      if (/^(?:const|let|var|using)$/.test(before)) return true;
      const after = this.#program.closing(bracket) + 1;
      const isIndex = this.#text(bracket) === "[" && /[\w$)\]]$/.test(before);
      if (!isIndex && (this.#isAssignment(after) || /^(?:of|in)$/.test(this.#text(after)))) return true;
      if (!/^(?:[{[(,:]|\.\.\.)$/.test(before)) return false;
      const outer = this.#program.enclosing(bracket);
      if (this.#text(outer) === "(") return this.#isParameterList(outer);
    }
    return false;
  }

  /** Returns true for a name in `<…>` behind the name of a function, a class or a type, or before an arrow function. */
  #isTypeParameter(): boolean {
    if (!/^(?:[<,]|const|in|out)$/.test(this.#previous) || !/^(?:[>,=]|extends)$/.test(this.#next)) return false;
    let depth = 0;
    for (let index = this.#index - 1; index > this.#bracket; index--) {
      const text = this.#text(index);
      if (this.#program.enclosing(index) !== this.#bracket) continue;
      if (text === ";") return false;
      if (text === ">") depth += 1;
      if (text === "<" && depth-- === 0) return this.#declaresTypes(index);
    }
    return false;
  }

  #declaresTypes(open: number): boolean {
    const owner = this.#program.tokens[open - 1];
    if (owner?.kind !== "name" || operator.test(owner.text)) return this.#text(this.#skipTypeList(open)) === "(";
    if (declaring.test(owner.text) || declaring.test(this.#text(open - 2)) || owner.text === "async") return true;
    return !/^\??\.$/.test(this.#text(open - 2)) && nameUse(this.#program, open - 1) === "property";
  }

  /** Returns true for a variable behind others: `let a: string, name: string;`. */
  #isFurtherVariable(): boolean {
    if (this.#previous !== "," || !/^[:;,=]$/.test(this.#next)) return false;
    for (let index = this.#index - 1; index > this.#bracket; index--) {
      if (this.#program.enclosing(index) !== this.#bracket) continue;
      if (this.#text(index) === ";") return false;
      if (/^(?:const|let|var|using)$/.test(this.#text(index))) return true;
    }
    return false;
  }

  #isUnclear(isInBraces: boolean): boolean {
    if (isInBraces && this.#beginsMember()) {
      // An optional method, `name?(): void`, or a field.
      if (this.#next === "?" && this.#text(this.#index + 2) === "(") return true;
      if (/^[{;]$/.test(this.#previous) && /^[;}]$/.test(this.#next)) return true;
      if (this.#isClassBody(this.#bracket)) return true;
    }
    const [previous, next] = [this.#program.tokens[this.#index - 1], this.#program.tokens[this.#index + 1]];
    const followsName = previous?.kind === "name" && !operator.test(previous.text) && this.#isOnLineOfPrevious();
    const precedesName =
      next?.kind === "name" && !infix.test(next.text) && this.#isOnOneLine(this.#index, this.#index + 1);
    return followsName || precedesName;
  }

  /** Returns true for the braces of a class or an interface, in which no member begins with a reference. */
  #isClassBody(open: number): boolean {
    const outer = this.#program.enclosing(open);
    for (let index = open - 1; index > outer; index--) {
      const text = this.#text(index);
      if (this.#program.enclosing(index) !== outer) continue;
      if (/^(?:class|interface)$/.test(text)) return true;
      if (text === ";" || (text === "}" && this.#text(index + 1) !== ">")) return false;
    }
    return false;
  }

  #text(index: number): string {
    return this.#program.tokens[index]?.text ?? "";
  }
}

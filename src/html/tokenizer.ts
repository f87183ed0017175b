import { type AttributeKind, attributeKindOf } from "./attribute.ts";
import { errors } from "./errors.ts";
import { ScriptScanner } from "./script-scanner.ts";

/** State of the tokenizer, named after the states of the HTML standard's tokenizer (HTML, 13.2.5). */
export type TokenizerState =
  | "text"
  | "tag open"
  | "tag name"
  | "before attribute name"
  | "attribute name"
  | "after attribute name"
  | "before attribute value"
  | "attribute value (quoted)"
  | "attribute value (unquoted)"
  | "after attribute value"
  | "after optional value"
  | "comment"
  | "declaration"
  | "raw text";

/** Kind of text that an element contains instead of markup. `data` is a script that a browser does not run. */
export type RawTextKind = "script" | "data" | "style" | "plain" | "textarea" | "title";

const rawTextElements = new Map<string, RawTextKind>([
  ["script", "script"],
  ["style", "style"],
  ["textarea", "textarea"],
  ["title", "title"],
  ...["xmp", "iframe", "noembed", "noframes"].map((name): [string, RawTextKind] => [name, "plain"]),
]);

/** Tokenizes the constant parts of one template, in order, and tracks the state between them. */
export class TemplateTokenizer {
  state: TokenizerState = "text";
  /** Name of the current element, in lower case. */
  elementName = "";
  /** Kind of the current raw text. */
  rawTextKind: RawTextKind = "plain";
  /** Name of the current attribute, in lower case, with a leading `?` if it is optional. */
  attributeName = "";
  /** Kind of the current attribute. */
  attributeKind: AttributeKind = "plain";
  /** Constant text of the current attribute value, comment or raw text so far. */
  literalText = "";
  /** Number of values in it so far. */
  valueCount = 0;

  #script = new ScriptScanner();
  #scriptOffset = 0;
  #quote = "";
  #isEndTag = false;
  #scriptType: string | undefined;
  #declarationStart = "";

  /** Reads one constant part. */
  read(part: string): void {
    for (let index = 0; index < part.length; index += 1) {
      if (this.state === "raw text") index = this.#readRawText(part, index);
      else if (this.state === "comment") this.#readComment(part.charAt(index));
      else this.#readCharacter(part.charAt(index));
    }
  }

  /** Adds a value at the current position. Returns true if it is in the code of a script, outside of strings. */
  addValue(): boolean {
    this.valueCount += 1;
    const isAttribute = this.state === "attribute value (quoted)";
    this.#script.read(decodeScript(this.literalText.slice(this.#scriptOffset), isAttribute));
    this.#scriptOffset = this.literalText.length;
    const isInCode = this.#script.isInCode();
    this.#script.skipValue();
    return isInCode;
  }

  #readCharacter(char: string): void {
    const isBlank = /[\t\n\f\r ]/.test(char);
    switch (this.state) {
      case "text":
        if (char === "<") this.state = "tag open";
        return;
      case "tag open":
        return this.#openTag(char);
      case "declaration":
        if (char === ">") this.state = "text";
        else if (this.#isCommentStart(char)) this.#enter("comment");
        return;
      case "tag name":
        if (isBlank || char === "/") this.state = "before attribute name";
        else if (char === ">") this.#closeTag();
        else this.elementName += char.toLowerCase();
        return;
      case "attribute name":
        if (char === "=") return this.#enterValue();
        if (isBlank) this.state = "after attribute name";
        else if (char === "/") this.state = "before attribute name";
        else if (char === ">") this.#closeTag();
        else this.attributeName += char.toLowerCase();
        return;
      case "after optional value":
        if (!isBlank && char !== "/" && char !== ">") {
          const name = this.attributeName;
          throw errors.E_HTML_POSITION(`A blank or ">" must follow the value of "${name}".`, `${name}=`);
        }
        this.state = "after attribute value";
        return isBlank ? undefined : this.#readTag(char);
      case "after attribute name":
        if (char === "=") return this.#enterValue();
        if (!isBlank) this.#readTag(char);
        return;
      case "before attribute value":
        if (isBlank) return;
        if (char === ">") return this.#closeTag();
        this.#quote = char === '"' || char === "'" ? char : "";
        this.state = this.#quote === "" ? "attribute value (unquoted)" : "attribute value (quoted)";
        this.literalText = this.#quote === "" ? char : "";
        return;
      case "attribute value (quoted)":
        if (char === this.#quote) return this.#endValue();
        this.literalText += char;
        return this.#checkScheme(char);
      case "attribute value (unquoted)":
        if (isBlank) return this.#endValue();
        if (char === ">") {
          this.#endValue();
          return this.#closeTag();
        }
        this.literalText += char;
        return;
      default:
        if (!isBlank) this.#readTag(char);
    }
  }

  #openTag(char: string): void {
    if (/[a-z]/i.test(char)) {
      this.state = "tag name";
      this.elementName = char.toLowerCase();
      this.#scriptType = undefined;
      return;
    }
    if (char === "/" && !this.#isEndTag) this.#isEndTag = true;
    else if (char === "!" || char === "?" || this.#isEndTag) {
      this.#declarationStart = this.#isEndTag ? "/" : char;
      this.#isEndTag = false;
      this.state = "declaration";
      if (char === ">") this.state = "text";
    } else if (char !== "<") this.state = "text";
  }

  #readTag(char: string): void {
    if (char === ">") return this.#closeTag();
    this.state = "before attribute name";
    if (char === "/") return;
    this.state = "attribute name";
    this.attributeName = char.toLowerCase();
  }

  #closeTag(): void {
    const kind = this.#isEndTag ? undefined : rawTextElements.get(this.elementName);
    this.#isEndTag = false;
    this.state = "text";
    if (kind === undefined) return;
    this.#enter("raw text");
    this.rawTextKind = kind === "script" ? kindOfScript(this.#scriptType) : kind;
  }

  #enterValue(): void {
    this.#enter("before attribute value");
    this.attributeKind = attributeKindOf(this.elementName, this.attributeName.replace(/^\?/, ""));
  }

  #enter(state: TokenizerState): void {
    this.state = state;
    this.literalText = "";
    this.valueCount = 0;
    this.#script = new ScriptScanner();
    this.#scriptOffset = 0;
  }

  #endValue(): void {
    if (this.attributeName === "type") this.#scriptType ??= this.literalText;
    this.state = "after attribute value";
  }

  #isCommentStart(char: string): boolean {
    this.#declarationStart += char;
    return this.#declarationStart === "!--";
  }

  #readComment(char: string): void {
    this.literalText += char;
    // `<!-->` and `<!--->` are complete comments (HTML, 13.2.5.43).
    const commentEnd = this.valueCount === 0 ? /^-?>$|--!?>$/ : /--!?>$/;
    if (char === ">" && commentEnd.test(this.literalText)) this.state = "text";
  }

  #readRawText(part: string, start: number): number {
    const endTag = new RegExp(`</${this.elementName}(?=[\\t\\n\\f\\r />])`, "i").exec(part.slice(start));
    const text = endTag === null ? part.slice(start) : part.slice(start, start + endTag.index);
    this.literalText += text;
    if (this.elementName === "script" && this.literalText.includes("<!--")) {
      throw errors.E_HTML_POSITION(
        'A script must not contain "<!--": it changes where browsers end the script.',
        this.literalText,
      );
    }
    if (endTag === null) return part.length;
    this.state = "tag name";
    this.#isEndTag = true;
    return start + endTag.index + endTag[0].length - 1;
  }

  #checkScheme(char: string): void {
    if (this.attributeKind !== "url" || this.valueCount === 0 || (char !== ":" && char !== "&")) return;
    if (/[:/?#&]/.test(this.literalText.slice(0, -1))) return;
    throw errors.E_HTML_POSITION(
      'The scheme of a URL, up to ":", must be written out or be part of one value; "&" must not come before "?".',
      this.literalText,
    );
  }
}

const characterReferences: ReadonlyMap<string, string> = new Map([
  ["quot", '"'],
  ["#34", '"'],
  ["apos", "'"],
  ["#39", "'"],
  ["amp", "&"],
  ["lt", "<"],
]);

// A browser decodes character references before it runs the script of an attribute. An unknown reference could be any
// character: it becomes an open template literal, so no value can follow it.
function decodeScript(script: string, isAttribute: boolean): string {
  if (!isAttribute) return script;
  return script.replace(/&(#?\w+);?/g, (_, name: string) => characterReferences.get(name.toLowerCase()) ?? "`");
}

/** Returns the kind of a script by its `type` attribute. */
export function kindOfScript(type: string | undefined): RawTextKind {
  const mediaType = type?.trim().toLowerCase() ?? "";
  if (/^(?:module|(?:text|application)\/(?:java|ecma)script)?$/.test(mediaType)) return "script";
  return /json$|^importmap$|^speculationrules$/.test(mediaType) ? "data" : "plain";
}

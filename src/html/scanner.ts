import { type Meaning, meaningOf } from "./attribute.ts";
import { errors } from "./errors.ts";
import { ScriptPosition } from "./script-position.ts";

/** Where a template stands, as the HTML standard's tokenizer sees it (HTML, 13.2.5). */
export type Place =
  | "text"
  | "tag open"
  | "tag name"
  | "tag"
  | "attribute name"
  | "attribute equals"
  | "value start"
  | "value"
  | "unquoted value"
  | "value end"
  | "optional end"
  | "comment"
  | "declaration"
  | "raw text";

/** What an element holds instead of markup. `data` is a script that a browser does not run. */
export type RawText = "script" | "data" | "style" | "plain" | "textarea" | "title";

const rawElements = new Map<string, RawText>([
  ["script", "script"],
  ["style", "style"],
  ["textarea", "textarea"],
  ["title", "title"],
  ...["xmp", "iframe", "noembed", "noframes"].map((name): [string, RawText] => [name, "plain"]),
]);

/** Reads the constant parts of one template, piece by piece, and knows where it stands. */
export class Scanner {
  place: Place = "text";
  /** The element whose tag or raw text is being read, in lower case. */
  element = "";
  /** What kind of raw text is being read. */
  raw: RawText = "plain";
  /** The attribute that is being read. */
  name = "";
  meaning: Meaning = "plain";
  /** The constant text of the attribute's value, the comment or the raw text so far. */
  constant = "";
  /** How many values stand in it so far. */
  values = 0;

  #script = new ScriptPosition();
  #scriptRead = 0;
  #quote = "";
  #isEndTag = false;
  #type: string | undefined;
  #comment = "";

  /** Reads one constant part. */
  read(part: string): void {
    for (let at = 0; at < part.length; at += 1) {
      if (this.place === "raw text") at = this.#readRawText(part, at);
      else if (this.place === "comment") at = this.#readComment(part, at);
      else this.#readCharacter(part.charAt(at));
    }
  }

  /** Takes note that a value stands here. Gives whether a script may hold one here: in its code, outside of strings. */
  value(): boolean {
    this.values += 1;
    this.#script.read(decode(this.constant.slice(this.#scriptRead), this.place === "value"));
    this.#scriptRead = this.constant.length;
    const isCode = this.#script.isCode();
    this.#script.value();
    return isCode;
  }

  #readCharacter(char: string): void {
    const isBlank = /[\t\n\f\r ]/.test(char);
    switch (this.place) {
      case "text":
        if (char === "<") this.place = "tag open";
        return;
      case "tag open":
        return this.#openTag(char);
      case "declaration":
        if (char === ">") this.place = "text";
        else if (this.#isCommentStart(char)) this.#enter("comment");
        return;
      case "tag name":
        if (isBlank || char === "/") this.place = "tag";
        else if (char === ">") this.#closeTag();
        else this.element += char.toLowerCase();
        return;
      case "attribute name":
        if (char === "=") return this.#enterValue();
        if (isBlank) this.place = "attribute equals";
        else if (char === "/") this.place = "tag";
        else if (char === ">") this.#closeTag();
        else this.name += char.toLowerCase();
        return;
      case "optional end":
        if (!isBlank && char !== "/" && char !== ">") {
          throw errors.E_HTML_POSITION(`A blank or ">" must follow the value of "${this.name}".`, `${this.name}=`);
        }
        this.place = "value end";
        return isBlank ? undefined : this.#readTag(char);
      case "attribute equals":
        if (char === "=") return this.#enterValue();
        if (!isBlank) this.#readTag(char);
        return;
      case "value start":
        if (isBlank) return;
        if (char === ">") return this.#closeTag();
        this.#quote = char === '"' || char === "'" ? char : "";
        this.place = this.#quote === "" ? "unquoted value" : "value";
        this.constant = this.#quote === "" ? char : "";
        return;
      case "value":
        if (char === this.#quote) return this.#endValue();
        this.constant += char;
        return this.#checkScheme(char);
      case "unquoted value":
        if (isBlank) return this.#endValue();
        if (char === ">") {
          this.#endValue();
          return this.#closeTag();
        }
        this.constant += char;
        return;
      default:
        if (!isBlank) this.#readTag(char);
    }
  }

  #openTag(char: string): void {
    if (/[a-z]/i.test(char)) {
      this.place = "tag name";
      this.element = char.toLowerCase();
      this.#type = undefined;
      return;
    }
    if (char === "/" && !this.#isEndTag) this.#isEndTag = true;
    else if (char === "!" || char === "?" || this.#isEndTag) {
      this.#comment = this.#isEndTag ? "/" : char;
      this.#isEndTag = false;
      this.place = "declaration";
      if (char === ">") this.place = "text";
    } else if (char !== "<") this.place = "text";
  }

  #readTag(char: string): void {
    if (char === ">") return this.#closeTag();
    this.place = "tag";
    if (char === "/") return;
    this.place = "attribute name";
    this.name = char.toLowerCase();
  }

  #closeTag(): void {
    const raw = this.#isEndTag ? undefined : rawElements.get(this.element);
    this.#isEndTag = false;
    this.place = "text";
    if (raw === undefined) return;
    this.#enter("raw text");
    this.raw = raw === "script" ? kindOfScript(this.#type) : raw;
  }

  #enterValue(): void {
    this.#enter("value start");
    this.meaning = meaningOf(this.element, this.name.replace(/^\?/, ""));
  }

  #enter(place: Place): void {
    this.place = place;
    this.constant = "";
    this.values = 0;
    this.#script = new ScriptPosition();
    this.#scriptRead = 0;
  }

  #endValue(): void {
    if (this.name === "type") this.#type ??= this.constant;
    this.place = "value end";
  }

  #isCommentStart(char: string): boolean {
    this.#comment += char;
    return this.#comment === "!--";
  }

  #readComment(part: string, at: number): number {
    // `<!-->` and `<!--->` are comments that are over at once (HTML, 13.2.5.43).
    const char = part.charAt(at);
    this.constant += char;
    if (char === ">" && (this.values === 0 ? /^-?>$|--!?>$/ : /--!?>$/).test(this.constant)) this.place = "text";
    return at;
  }

  #readRawText(part: string, at: number): number {
    const end = new RegExp(`</${this.element}(?=[\\t\\n\\f\\r />])`, "i").exec(part.slice(at));
    const text = end === null ? part.slice(at) : part.slice(at, at + end.index);
    this.constant += text;
    if (this.element === "script" && this.constant.includes("<!--")) {
      throw errors.E_HTML_POSITION(
        'A script must not hold "<!--": browsers then look for its end elsewhere.',
        this.constant,
      );
    }
    if (end === null) return part.length;
    this.place = "tag name";
    this.#isEndTag = true;
    return at + end.index + end[0].length - 1;
  }

  #checkScheme(char: string): void {
    if (this.meaning !== "url" || this.values === 0 || (char !== ":" && char !== "&")) return;
    if (/[:/?#&]/.test(this.constant.slice(0, -1))) return;
    throw errors.E_HTML_POSITION(
      'The scheme of a URL, up to ":", must be written out or be part of one value; "&" must not come before "?".',
      this.constant,
    );
  }
}

const references: Readonly<Record<string, string>> = {
  quot: '"',
  "#34": '"',
  apos: "'",
  "#39": "'",
  amp: "&",
  lt: "<",
};

// A browser decodes character references before it runs the script of an attribute. One that is not known here could be
// anything: an opened template makes sure that no value follows it.
function decode(script: string, isAttribute: boolean): string {
  if (!isAttribute) return script;
  return script.replace(/&(#?\w+);?/g, (_, name: string) => references[name.toLowerCase()] ?? "`");
}

/** What a script holds, by its `type`. */
export function kindOfScript(type: string | undefined): RawText {
  const given = type?.trim().toLowerCase() ?? "";
  if (/^(?:module|(?:text|application)\/(?:java|ecma)script)?$/.test(given)) return "script";
  return /json$|^importmap$|^speculationrules$/.test(given) ? "data" : "plain";
}

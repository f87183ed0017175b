import { decodeCharacterReferences } from "./character-references.ts";

/** Element with its attributes, by lower-case name, and its content. */
export interface HtmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: (HtmlElement | string)[];
}

export const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Elements without content (HTML, 13.1.2). */
const voidElements = words("area base br col embed hr img input link meta param source track wbr");
/** Elements whose content has no tags (HTML, 13.2.6.4.7). Only the text of `xmp` is shown. */
const rawTextElements = words("iframe noembed noframes script style textarea title xmp");
/** Elements whose start closes an open paragraph (HTML, 13.2.6.4.7). */
const blockElements = words(
  "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 " +
    "h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p pre search section summary table ul xmp",
);
const headings = words("h1 h2 h3 h4 h5 h6");
/** Elements that an end tag inside them does not close from outside: a scope (HTML, 13.2.4.2). */
const scopes = words("button caption marquee object table td template th");
const tableParts = words("caption colgroup table tbody td tfoot th thead tr");
const tables = words("table template");
/** Inline elements that may end across blocks (HTML, 13.2.4.3). */
const formattingElements = words("a b big code em font i nobr s small strike strong tt u");
const listItemScopes = new Set([...scopes, "menu", "ol", "ul"]);
const itemBounds = new Set([...blockElements, ...scopes].filter((name) => !["address", "div", "p"].includes(name)));
const inlineBounds = new Set([...blockElements, ...scopes, ...tableParts, "body"]);

/** Open elements that a start tag ends, up to an element that bounds them (HTML, 13.1.2.4 and 13.2.6.4). */
const impliedEnds = [
  { starts: blockElements, ends: words("p"), bounds: scopes },
  { starts: headings, ends: headings, bounds: inlineBounds },
  { starts: words("li"), ends: words("li"), bounds: itemBounds },
  { starts: words("dd dt"), ends: words("dd dt"), bounds: itemBounds },
  { starts: words("optgroup option"), ends: words("option"), bounds: inlineBounds },
  { starts: words("td th"), ends: words("caption td th"), bounds: tables },
  { starts: words("tr"), ends: words("caption td th tr"), bounds: tables },
  { starts: words("tbody tfoot thead"), ends: words("caption tbody td tfoot th thead tr"), bounds: tables },
  { starts: words("a"), ends: words("a"), bounds: scopes },
] as const;

/** A comment, a declaration or other bogus comment, the start of a tag, or text. */
const tokenPattern =
  /<!--(?:-?>|[^]*?(?:--!?>|$))|<(?:[!?]|\/(?=[^a-z]))[^>]*>?|<(?<end>\/?)(?<name>[a-z][^\t\n\f />]*)|[^<]+|</iy;
const attributePattern =
  /[\t\n\f /]*(?<name>[^\t\n\f />][^\t\n\f />=]*)(?:[\t\n\f ]*=[\t\n\f ]*(?:"(?<double>[^"]*)(?:"|$)|'(?<single>[^']*)(?:'|$)|(?!["'])(?<bare>[^\t\n\f >]*)))?/y;
const tagEndPattern = /[\t\n\f /]*>/y;

/** Parses HTML as browsers do, in linear time: tags by HTML, 13.2.5, ends of elements by 13.1.2.4 and 13.2.6. */
export function parseHtml(html: string): HtmlElement {
  const source = html.replaceAll(/\r\n?/g, "\n");
  const root: HtmlElement = { name: "html", attributes: new Map(), children: [] };
  const open = new OpenElements(root);
  let position = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const found = pattern.exec(source);
    if (found !== null) position = pattern.lastIndex;
    return found;
  };

  while (position < source.length) {
    const { 0: token = "", groups } = match(tokenPattern) ?? {};
    const name = groups?.["name"]?.toLowerCase();
    if (name === undefined) {
      if (!/^<[!?/]/.test(token)) addText(open.innermost, decodeCharacterReferences(token));
      continue;
    }
    const attributes = readAttributes(match);
    // The end of the source in a tag drops the tag.
    if (match(tagEndPattern) === null) break;
    if (groups?.["end"] === "/") endElement(open, name);
    else {
      startElement(open, name, attributes);
      if (name === "pre" || name === "listing") match(/\n/y);
      if (rawTextElements.has(name) || name === "plaintext") {
        const end = new RegExp(`</${name}(?=[\\t\\n\\f />])`, "gi");
        end.lastIndex = position;
        const endPosition = end.exec(source)?.index ?? source.length;
        if (name === "xmp" || name === "plaintext") addText(open.innermost, source.slice(position, endPosition));
        position = endPosition;
      }
    }
  }
  return root;
}

function readAttributes(match: (pattern: RegExp) => RegExpExecArray | null): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (let found = match(attributePattern); found !== null; found = match(attributePattern)) {
    const { name = "", double, single, bare = "" } = found.groups ?? {};
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, decodeCharacterReferences(double ?? single ?? bare, true));
  }
  return attributes;
}

function addText({ children }: HtmlElement, text: string): void {
  const last = children.at(-1);
  if (typeof last === "string") children[children.length - 1] = last + text;
  else children.push(text);
}

function startElement(open: OpenElements, name: string, attributes: ReadonlyMap<string, string>): void {
  // The tags of these are optional, so their contents say what is shown.
  if (name === "html" || name === "head" || (name === "body" && open.has(name))) return;
  for (const { starts, ends, bounds } of impliedEnds) {
    while (starts.has(name) && open.close(ends, bounds));
  }
  const element = { name, attributes, children: [] };
  open.innermost.children.push(element);
  if (!voidElements.has(name)) open.push(element);
}

function endElement(open: OpenElements, name: string): void {
  if (name === "html" || name === "head" || name === "body") return;
  const isClosed = open.close(headings.has(name) ? headings : new Set([name]), boundsOf(name));
  // These ends without a start make an empty element (HTML, 13.2.6.4.7).
  if (!isClosed && (name === "p" || name === "br")) {
    open.innermost.children.push({ name, attributes: new Map(), children: [] });
  }
}

/** Returns the elements that bound an end tag: it ends no element around them. */
function boundsOf(name: string): ReadonlySet<string> {
  if (tableParts.has(name)) return tables;
  if (name === "li") return listItemScopes;
  return blockElements.has(name) || formattingElements.has(name) || scopes.has(name) ? scopes : inlineBounds;
}

/** Deeper elements become siblings, as in browsers, so that no recursion overflows the stack. */
const maxOpenElements = 512;

/** Elements whose end was not yet read: the stack of open elements (HTML, 13.2.4.2). */
class OpenElements {
  readonly #stack: HtmlElement[];
  /** Number of open elements by name, so that most searches take constant time. */
  readonly #counts = new Map<string, number>();

  constructor(root: HtmlElement) {
    this.#stack = [root];
  }

  get innermost(): HtmlElement {
    return this.#stack.at(-1) as HtmlElement;
  }

  has(name: string): boolean {
    return this.#counts.has(name);
  }

  push(element: HtmlElement): void {
    if (this.#stack.length >= maxOpenElements) return;
    this.#stack.push(element);
    this.#counts.set(element.name, (this.#counts.get(element.name) ?? 0) + 1);
  }

  /**
   * Closes the innermost element with such a name, and those in it, unless an element bounds it. A block stays open beyond
   * the end of an inline element (HTML, 13.2.6.4.7). Returns true if it closed one.
   */
  close(names: ReadonlySet<string>, bounds: ReadonlySet<string>): boolean {
    const index = names.values().some((name) => this.#counts.has(name)) ? this.#find(names, bounds) : undefined;
    if (index === undefined) return false;
    const isInline = formattingElements.has((this.#stack[index] as HtmlElement).name);
    const isAroundBlock = isInline && this.#stack.slice(index + 1).some(({ name }) => inlineBounds.has(name));
    for (const { name } of this.#stack.splice(index, isAroundBlock ? 1 : Infinity)) {
      const count = this.#counts.get(name) ?? 0;
      if (count > 1) this.#counts.set(name, count - 1);
      else this.#counts.delete(name);
    }
    return true;
  }

  #find(names: ReadonlySet<string>, bounds: ReadonlySet<string>): number | undefined {
    for (let index = this.#stack.length - 1; index > 0; index -= 1) {
      const { name } = this.#stack[index] as HtmlElement;
      if (names.has(name)) return index;
      if (bounds.has(name)) return undefined;
    }
    return undefined;
  }
}

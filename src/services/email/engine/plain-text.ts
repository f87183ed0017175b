import { type HtmlElement, parseHtml, words } from "./html-tree.ts";
import { TextWriter } from "./text-writer.ts";

/** Blocks with a margin in browsers (HTML, 15.3), and tables: an empty line separates them from others. */
const spacedBlocks = words(
  "blockquote dir dl fieldset figure h1 h2 h3 h4 h5 h6 hr listing menu ol p plaintext pre table ul xmp",
);
/** Other blocks: they begin on a new line. */
const blocks = words(
  "address article aside body caption center dd details dialog div dt figcaption footer form header hgroup legend li main " +
    "nav optgroup option search section summary tbody tfoot thead tr",
);
const lists = words("dir menu ol ul");
const preformatted = words("listing plaintext pre xmp");
/** Elements that browsers do not render (HTML, 15.3.1), and those whose content is not text. */
const invisibleElements = words("datalist iframe noembed noframes script style template textarea title");

/**
 * Converts HTML to plain text for mail clients without HTML. Follows `innerText` (HTML, 3.2.7): hidden elements are left
 * out, blocks begin on new lines, tabs separate cells, and white space collapses outside of `pre`. Adds what a reader would
 * miss: the markers of list items, `>` before quotations, `---` for rules, the `alt` of images and the URL of links.
 *
 * For HTML of the application. It is not a sanitizer: the text is as trustworthy as the HTML.
 */
export function htmlToText(html: string): string {
  const writer = new TextWriter();
  writeChildren(writer, parseHtml(html), { isPreformatted: false, isInList: false, isLayout: false });
  return writer.toString();
}

/** Properties that an element has from those around it. */
interface Surroundings {
  readonly isPreformatted: boolean;
  readonly isInList: boolean;
  /** True in a table that only positions its content: `role="presentation"`. */
  readonly isLayout: boolean;
}

function writeChildren(writer: TextWriter, parent: HtmlElement, surroundings: Surroundings): void {
  const numbers = parent.name === "ol" ? itemNumbers(parent) : undefined;
  let previousCell: HtmlElement | undefined;
  let isEmptyRow = !surroundings.isLayout;
  const beginCell = (cell: HtmlElement): void => {
    if (previousCell !== undefined) {
      isEmptyRow &&= textOf(previousCell) === "";
      writer.separateCells(isEmptyRow);
    }
    previousCell = cell;
  };
  for (const child of parent.children) {
    if (typeof child === "string") {
      if (surroundings.isPreformatted) writer.writePreformatted(child);
      else writer.write(child);
    } else if (!isHidden(child)) {
      if (isCell(child)) beginCell(child);
      const number = numbers?.get(child);
      const marker = hasNoMarker(parent) || hasNoMarker(child) ? "" : number === undefined ? "- " : `${number}. `;
      writeElement(writer, child, surroundings, marker);
    }
  }
}

function writeElement(writer: TextWriter, element: HtmlElement, surroundings: Surroundings, marker: string): void {
  const { name, attributes } = element;
  const breakCount = breaksAround(element, surroundings);
  if (breakCount > 0) writer.breakBlock(breakCount);

  const indentation = indentationOf(name, marker);
  if (indentation !== undefined) writer.indent(...indentation);
  if (name === "br") writer.breakLine();
  else if (name === "hr") writer.write("---");
  else if (name === "img") writer.writeWord(attributes.get("alt") ?? "");
  else if (name === "q") writer.write("“");
  writeChildren(writer, element, {
    isPreformatted:
      surroundings.isPreformatted || preformatted.has(name) || hasStyle(element, /white-space\s*:\s*(?:pre|break)/i),
    isInList: surroundings.isInList || lists.has(name),
    isLayout: name === "table" ? /^(?:presentation|none)$/i.test(attributes.get("role") ?? "") : surroundings.isLayout,
  });
  if (name === "q") writer.write("”");
  else if (name === "a") writeUrl(writer, element);
  if (indentation !== undefined) writer.unindent();

  if (breakCount > 0) writer.breakBlock(breakCount);
}

function breaksAround(element: HtmlElement, { isInList, isLayout }: Surroundings): number {
  const { name, children } = element;
  // A list in a list has no margin (HTML, 15.3.7). A row of a layout with one cell is a block of its own.
  if (lists.has(name) && isInList) return 1;
  if (name === "tr" && isLayout && children.filter((child) => isCell(child)).length < 2) return 2;
  return spacedBlocks.has(name) ? 2 : blocks.has(name) ? 1 : 0;
}

/** Returns the prefixes of the first line and of the others. */
function indentationOf(name: string, marker: string): readonly [first: string, rest: string] | undefined {
  if (name === "li") return [marker, " ".repeat(marker.length)];
  if (name === "blockquote") return ["> ", "> "];
  return name === "dd" ? ["  ", "  "] : undefined;
}

/** Writes the URL of a link, unless its label is the URL. */
function writeUrl(writer: TextWriter, link: HtmlElement): void {
  const href = (link.attributes.get("href") ?? "").replaceAll(/[\t\n\r]/g, "").trim();
  const address = href.replace(/^(?:tel|sms):|^mailto:([^?]*).*$/i, "$1");
  const label = textOf(link);
  if (address === "" || address.startsWith("#") || label === address || label === href) return;
  writer.writeWord(label === "" ? address : ` (${address})`);
}

const isCell = (node: HtmlElement | string): boolean =>
  typeof node !== "string" && (node.name === "td" || node.name === "th");

function isHidden(element: HtmlElement): boolean {
  const { name, attributes } = element;
  if (invisibleElements.has(name) || attributes.has("hidden") || (name === "dialog" && !attributes.has("open")))
    return true;
  return hasStyle(element, /(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))/i);
}

const hasNoMarker = (element: HtmlElement): boolean => hasStyle(element, /list-style(?:-type)?\s*:[^;]*\bnone\b/i);

/** Returns true if a declaration of the `style` attribute begins with the pattern. */
function hasStyle({ attributes }: HtmlElement, declaration: RegExp): boolean {
  const style = attributes.get("style");
  return style?.split(";").some((part) => part.trim().search(declaration) === 0) ?? false;
}

/** Returns the visible text of an element in one line. */
function textOf(element: HtmlElement): string {
  const read = (node: HtmlElement | string): string => {
    if (typeof node === "string") return node;
    if (isHidden(node)) return "";
    return node.name === "img" ? ` ${node.attributes.get("alt") ?? ""} ` : node.children.map(read).join("");
  };
  return read(element).replaceAll(/\s+/g, " ").trim();
}

/** Returns the numbers of the items of an ordered list by `start`, `reversed`, `value` and `type` (HTML, 4.4.5). */
function itemNumbers({ attributes, children }: HtmlElement): ReadonlyMap<HtmlElement, string> {
  const items = children.filter((child) => typeof child !== "string" && child.name === "li") as readonly HtmlElement[];
  const isReversed = attributes.has("reversed");
  let number = readInteger(attributes.get("start")) ?? (isReversed ? items.length : 1);
  return new Map(
    items.map((item) => {
      const itemNumber = readInteger(item.attributes.get("value")) ?? number;
      number = itemNumber + (isReversed ? -1 : 1);
      const format = numberFormats.get(item.attributes.get("type") ?? attributes.get("type") ?? "") ?? String;
      return [item, format(itemNumber)];
    }),
  );
}

/** Parses an integer as attributes have it (HTML, 2.3.4.1). */
function readInteger(text = ""): number | undefined {
  const digits = /^[\t\n\f\r ]*([+-]?\d+)/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const numberFormats: ReadonlyMap<string, (number: number) => string> = new Map([
  ["a", toLetters],
  ["A", (number: number) => toLetters(number).toUpperCase()],
  ["i", toRoman],
  ["I", (number: number) => toRoman(number).toUpperCase()],
]);

/** Returns a number in letters: a to z, aa, ab (CSS Counter Styles 3, 6.2). Numbers below 1 have no letters. */
function toLetters(number: number): string {
  if (number < 1) return String(number);
  let letters = "";
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(97 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

const romanDigits = {
  m: 1000,
  cm: 900,
  d: 500,
  cd: 400,
  c: 100,
  xc: 90,
  l: 50,
  xl: 40,
  x: 10,
  ix: 9,
  v: 5,
  iv: 4,
  i: 1,
};

/** Returns a number in Roman digits, which exist from 1 to 3,999. */
function toRoman(number: number): string {
  if (number < 1 || number > 3999) return String(number);
  let rest = number;
  let digits = "";
  for (const [digit, value] of Object.entries(romanDigits)) {
    digits += digit.repeat(Math.floor(rest / value));
    rest %= value;
  }
  return digits;
}

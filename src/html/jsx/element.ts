import { attributeKindOf } from "../attribute.ts";
import { errors } from "../errors.ts";
import { escape, jsonText, scriptText } from "../escape.ts";
import { type HtmlValue, optionalPrinter, type Printer, printPlainText, printText, safeStyle } from "../print.ts";
import { isHtml, isSafeJson } from "../safe.ts";
import { kindOfScript } from "../tokenizer.ts";
import { safeUrl } from "../url.ts";

/** Attributes and children, as the JSX transform passes them. */
export type Props = Readonly<Record<string, unknown>>;

const voidElements = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const elementName = /^[a-z][a-z0-9._-]*(?::[a-z][a-z0-9_-]*)?$/i;
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters on purpose
const attributeName = /^[^\s"'<>/=\u0000-\u001f\u007f]+$/;

/** Prints an element. @throws E_HTML_NAME for a name that could end the tag, E_HTML_VALUE for an unprintable value */
export function printElement(name: string, props: Props): string {
  if (!elementName.test(name)) throw errors.E_HTML_NAME(name, "an element");
  const element = name.toLowerCase();
  let printed = `<${name}`;
  for (const attribute of Object.keys(props)) {
    if (attribute !== "children" && attribute !== "key") printed += cachedPrinter(element, attribute)(props[attribute]);
  }
  const children = props["children"] as HtmlValue;
  if (!voidElements.has(element)) return `${printed}>${printChildren(element, children, props["type"])}</${name}>`;
  if (printText(children) === "") return `${printed}>`;
  throw errors.E_HTML_VALUE(`content in <${name}>`, "It is a void element, without an end tag.");
}

const printerCache = new Map<string, Printer>();
// A list of 10 elements takes 0.85 of the time with the cache.
// Attribute names may come from data that is spread into props: without a limit, the cache could grow forever.
const maxCachedPrinters = 2000;

function cachedPrinter(element: string, attribute: string): Printer {
  const key = `${element} ${attribute}`;
  let printer = printerCache.get(key);
  if (printer === undefined) {
    printer = makePrinter(element, attribute);
    if (printerCache.size < maxCachedPrinters) printerCache.set(key, printer);
  }
  return printer;
}

function makePrinter(element: string, attribute: string): Printer {
  if (!attributeName.test(attribute)) throw errors.E_HTML_NAME(attribute, "an attribute");
  const kind = attributeKindOf(element, attribute.toLowerCase());
  if (kind === "style") return printStyleAttribute;
  const print = optionalPrinter(attribute, kind === "restricted" ? "plain" : kind);
  // JSX has no quoted form of an attribute, so `false` must print the ARIA keyword.
  if (kind === "aria") return (value) => print(value === false ? "false" : value);
  if (kind !== "restricted" || element === "script") return print;
  // An SVG animation can set a link to each of its values.
  return (value) => print(typeof value === "string" ? safeUrls(value) : value);
}

const safeUrls = (list: string): string => list.split(";").map(safeUrl).join(";");

function printStyleAttribute(value: unknown): string {
  if (value === undefined || value === null || value === false) return "";
  if (typeof value !== "object") {
    throw errors.E_HTML_VALUE(`a ${typeof value} as a style`, 'Give properties by name: { color: "red" }.');
  }
  const declarations = Object.entries(value).map(([property, text]) => {
    if (!/^-{0,2}[a-z][a-z0-9-]*$/i.test(property)) throw errors.E_HTML_NAME(property, "a style property");
    return `${property}: ${safeStyle(String(text))}`;
  });
  return ` style="${escape(declarations.join("; "))}"`;
}

function printChildren(element: string, children: HtmlValue, type: unknown): string {
  switch (element) {
    case "script":
      return printTrusted(element, children, isExecutable(type) ? scriptText : jsonText);
    case "style":
      return printTrusted(element, children);
    case "title":
      return printEachChild(children, printPlainText);
    case "textarea":
      return printEachChild(children, printPlainText).replace(/^(?=[\r\n])/, "\n");
    default:
      return printText(children);
  }
}

function printEachChild(children: HtmlValue, printer: Printer): string {
  if (Array.isArray(children)) return children.map((child: HtmlValue) => printEachChild(child, printer)).join("");
  return printer(children);
}

const isExecutable = (type: unknown): boolean => kindOfScript(typeof type === "string" ? type : undefined) === "script";

/** Prints trusted code, and data as JSON. Refuses text, which could be either. */
function printTrusted(element: string, children: HtmlValue, printData?: Printer): string {
  return printEachChild(children, (child) => {
    if (isHtml(child)) return String(child);
    if (printData !== undefined && isSafeJson(child)) return printData(child);
    if (child === undefined || child === null || child === false) return "";
    throw errors.E_HTML_VALUE(`text in <${element}>`, "Give data with json(…), and trusted code with unsafeHtml(…).");
  });
}

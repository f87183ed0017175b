import { meaningOf } from "../attribute.ts";
import { errors } from "../errors.ts";
import { escape } from "../escape.ts";
import { jsonText, scriptText } from "../json.ts";
import { type HtmlValue, optionalPrinter, type Printer, printPlain, printText, safeStyle } from "../print.ts";
import { isHtml, isJson } from "../safe.ts";
import { kindOfScript } from "../scanner.ts";
import { safeUrl } from "../url.ts";

/** Attributes and children as the JSX transform hands them over. */
export type Props = Readonly<Record<string, unknown>>;

const voids = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const elementName = /^[a-z][a-z0-9._-]*(?::[a-z][a-z0-9_-]*)?$/i;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const attributeName = /^[^\s"'<>/=\u0000-\u001f\u007f]+$/;

/**
 * Prints an element.
 *
 * @throws E_HTML_NAME for a name that could end the tag, E_HTML_VALUE for what cannot be printed.
 */
export function printElement(name: string, props: Props): string {
  if (!elementName.test(name)) throw errors.E_HTML_NAME(name, "an element");
  const element = name.toLowerCase();
  let printed = `<${name}`;
  for (const attribute of Object.keys(props)) {
    if (attribute !== "children" && attribute !== "key") printed += printerOf(element, attribute)(props[attribute]);
  }
  const children = props["children"] as HtmlValue;
  if (!voids.has(element)) return `${printed}>${printChildren(element, children, props["type"])}</${name}>`;
  if (printText(children) === "") return `${printed}>`;
  throw errors.E_HTML_VALUE(`anything in <${name}>`, "It has no end tag, and so no content.");
}

const printers = new Map<string, Printer>();
// Attribute names may come from data by way of a spread, so that what is kept must end somewhere.
const mostPrinters = 2000;

function printerOf(element: string, attribute: string): Printer {
  const key = `${element} ${attribute}`;
  let printer = printers.get(key);
  if (printer === undefined) {
    printer = makePrinter(element, attribute);
    if (printers.size < mostPrinters) printers.set(key, printer);
  }
  return printer;
}

function makePrinter(element: string, attribute: string): Printer {
  if (!attributeName.test(attribute)) throw errors.E_HTML_NAME(attribute, "an attribute");
  const meaning = meaningOf(element, attribute.toLowerCase());
  if (meaning === "style") return printStyles;
  const print = optionalPrinter(attribute, meaning === "refused" ? "plain" : meaning);
  // Here is no other way to say false than to give it.
  if (meaning === "aria") return (value) => print(value === false ? "false" : value);
  if (meaning !== "refused" || element === "script") return print;
  // An animation can put each of its values into a link.
  return (value) => print(typeof value === "string" ? safeUrls(value) : value);
}

const safeUrls = (list: string): string =>
  list
    .split(";")
    .map((url) => safeUrl(url))
    .join(";");

function printStyles(value: unknown): string {
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
      return printVouched(element, children, isExecutable(type) ? scriptText : jsonText);
    case "style":
      return printVouched(element, children);
    case "title":
      return printEach(children, printPlain);
    case "textarea":
      return printEach(children, printPlain).replace(/^(?=[\r\n])/, "\n");
    default:
      return printText(children);
  }
}

function printEach(children: HtmlValue, printer: Printer): string {
  return Array.isArray(children)
    ? children.map((child: HtmlValue) => printEach(child, printer)).join("")
    : printer(children);
}

const isExecutable = (type: unknown): boolean => kindOfScript(typeof type === "string" ? type : undefined) === "script";

/** Code is vouched for, data is JSON; a text could be either. */
function printVouched(element: string, children: HtmlValue, printData?: Printer): string {
  return printEach(children, (child) => {
    if (isHtml(child)) return String(child);
    if (printData !== undefined && isJson(child)) return printData(child);
    if (child === undefined || child === null || child === false) return "";
    throw errors.E_HTML_VALUE(`text in <${element}>`, "Give data by json(…), and code of your own by unsafeHtml(…).");
  });
}

import { errors } from "./errors.ts";
import {
  attributePrinters,
  optionalPrinter,
  printComment,
  type Printer,
  printJson,
  printPlain,
  printScript,
  printStyle,
  printText,
  printTextarea,
  printUrlRest,
} from "./print.ts";
import { Scanner } from "./scanner.ts";
import { schemeOf } from "./url.ts";

/** A template, understood: its constant parts, and how each value between them is printed. */
export interface Template {
  readonly parts: readonly string[];
  readonly printers: readonly Printer[];
}

/**
 * Finds out how each value of a template is to be printed.
 *
 * @throws E_HTML_POSITION where no value can be printed safely, E_HTML_UNFINISHED when it ends inside a tag or a script.
 */
export function understand(strings: readonly (string | undefined)[]): Template {
  const scanner = new Scanner();
  const parts: string[] = [];
  const printers: Printer[] = [];
  for (const [index, part] of strings.entries()) {
    if (part === undefined) throw errors.E_HTML_POSITION("A backslash must be doubled.", parts.at(-1) ?? "");
    scanner.read(part);
    const isLast = index === strings.length - 1;
    if (isLast) {
      if (scanner.place !== "text") throw errors.E_HTML_UNFINISHED(whereabouts(scanner), excerpt(part));
      parts.push(part);
    } else {
      const isOptional = scanner.place === "value start" && scanner.name.startsWith("?");
      parts.push(isOptional ? part.replace(/[\s]*\?[^?]*$/, "") : part);
      printers.push(printerAt(scanner, part));
    }
  }
  return { parts, printers };
}

function printerAt(scanner: Scanner, part: string): Printer {
  const refuse = (problem: string): Error => errors.E_HTML_POSITION(problem, excerpt(part));
  const isCode = scanner.value();
  switch (scanner.place) {
    case "text":
      return printText;
    case "comment":
      return printComment;
    case "raw text":
      return rawPrinter(scanner, isCode, refuse);
    case "value":
      return valuePrinter(scanner, isCode, refuse);
    case "value start":
      return optionalAt(scanner, refuse);
    case "unquoted value":
      throw refuse(`Quote the value: ${scanner.name}="\${…}".`);
    case "tag open":
    case "tag name":
      throw refuse("A tag's name must be written out. Choose between two templates instead.");
    case "declaration":
      throw refuse("No value can stand in a declaration.");
    default:
      throw refuse(
        'The name of an attribute must be written out: name="${…}", or ?name=${…} for one that may be left out.',
      );
  }
}

type Refuse = (problem: string) => Error;

function rawPrinter(scanner: Scanner, isCode: boolean, refuse: Refuse): Printer {
  if (/<\/?\w*$/.test(scanner.constant)) throw refuse('No value can follow "<" here.');
  switch (scanner.raw) {
    case "textarea":
      return scanner.constant === "" && scanner.values === 1 ? printTextarea : printPlain;
    case "title":
      return printPlain;
    case "style":
      return printStyle;
    case "script":
    case "data":
      if (!isCode) throw refuse(scriptAdvice);
      return scanner.raw === "script" ? printScript : printJson;
    default:
      throw refuse(`No value can stand in <${scanner.element}> of this type.`);
  }
}

function valuePrinter(scanner: Scanner, isCode: boolean, refuse: Refuse): Printer {
  const { meaning, name } = scanner;
  if (name.startsWith("?")) throw refuse(`Write the optional attribute without quotes: ${name}=\${…}.`);
  if (meaning === "boolean") throw refuse(`"${name}" is there or not: write ?${name}=\${…} with true or false.`);
  if (meaning === "refused") throw refuse(`The attribute "${name}" of <${scanner.element}> must be written out.`);
  if (meaning === "url") return urlPrinter(scanner, refuse);
  if (meaning === "script" && !isCode) throw refuse(scriptAdvice);
  return attributePrinters[meaning];
}

function urlPrinter({ constant, values }: Scanner, refuse: Refuse): Printer {
  if (/[:/?#&]/.test(constant)) {
    if (/^(?:javascript|vbscript|data)$/.test(schemeOf(constant) ?? "")) {
      throw refuse("No value can stand in a URL that is a script or data. Give the whole URL as one value.");
    }
    return printPlain;
  }
  return values === 1 && constant.trim() === "" ? attributePrinters.url : printUrlRest;
}

function optionalAt(scanner: Scanner, refuse: Refuse): Printer {
  const { name, meaning } = scanner;
  if (!name.startsWith("?"))
    throw refuse(`Quote the value: ${name}="\${…}", or write ?${name}=\${…} if it may be left out.`);
  if (meaning === "refused") throw refuse(`The attribute "${name.slice(1)}" must be written out.`);
  scanner.place = "optional end";
  return optionalPrinter(name.slice(1), meaning);
}

const scriptAdvice =
  "In a script, write the value where an expression can stand, without quotes of your own: it prints as JSON. " +
  "At the start, const data = ${json(data)}; always works.";

const excerpt = (part: string): string => part.slice(-60);

const whereabouts = (scanner: Scanner): string => {
  if (scanner.place === "comment" || scanner.place === "declaration") return `a ${scanner.place}`;
  return scanner.place === "raw text" ? `<${scanner.element}>` : `the tag <${scanner.element}>`;
};

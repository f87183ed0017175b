import { errors } from "./errors.ts";
import {
  attributePrinters,
  optionalPrinter,
  printComment,
  type Printer,
  printJson,
  printPlainText,
  printScript,
  printStyle,
  printText,
  printTextarea,
  printUrlPart,
} from "./print.ts";
import { TemplateTokenizer } from "./tokenizer.ts";
import { schemeOf } from "./url.ts";

/** Parsed template: its constant parts, and the printer of each value between them. */
export interface Template {
  readonly parts: readonly string[];
  readonly printers: readonly Printer[];
}

/** Parses a template and selects the printer of each value. @throws E_HTML_POSITION, E_HTML_UNFINISHED */
export function parseTemplate(strings: readonly (string | undefined)[]): Template {
  const tokenizer = new TemplateTokenizer();
  const parts: string[] = [];
  const printers: Printer[] = [];
  for (const [index, part] of strings.entries()) {
    if (part === undefined) throw errors.E_HTML_POSITION("A backslash must be doubled.", parts.at(-1) ?? "");
    tokenizer.read(part);
    if (index === strings.length - 1) {
      if (tokenizer.state !== "text") throw errors.E_HTML_UNFINISHED(describeLocation(tokenizer), excerpt(part));
      parts.push(part);
    } else {
      const isOptional = tokenizer.state === "before attribute value" && tokenizer.attributeName.startsWith("?");
      parts.push(isOptional ? part.replace(/[\s]*\?[^?]*$/, "") : part);
      printers.push(selectPrinter(tokenizer, part));
    }
  }
  return { parts, printers };
}

function selectPrinter(tokenizer: TemplateTokenizer, part: string): Printer {
  const positionError = (problem: string): Error => errors.E_HTML_POSITION(problem, excerpt(part));
  const isInCode = tokenizer.addValue();
  switch (tokenizer.state) {
    case "text":
      return printText;
    case "comment":
      return printComment;
    case "raw text":
      return rawTextPrinter(tokenizer, isInCode, positionError);
    case "attribute value (quoted)":
      return attributePrinter(tokenizer, isInCode, positionError);
    case "before attribute value":
      return optionalAttributePrinter(tokenizer, positionError);
    case "attribute value (unquoted)":
      throw positionError(`Quote the value: ${tokenizer.attributeName}="\${…}".`);
    case "tag open":
    case "tag name":
      throw positionError("A tag name must be written out. Choose between two templates instead.");
    case "declaration":
      throw positionError("A declaration cannot contain a value.");
    default:
      throw positionError(
        'An attribute name must be written out: name="${…}", or ?name=${…} for an optional attribute.',
      );
  }
}

type PositionError = (problem: string) => Error;

function rawTextPrinter(tokenizer: TemplateTokenizer, isInCode: boolean, positionError: PositionError): Printer {
  if (/<\/?\w*$/.test(tokenizer.literalText)) throw positionError('No value can follow "<" here.');
  switch (tokenizer.rawTextKind) {
    case "textarea":
      return tokenizer.literalText === "" && tokenizer.valueCount === 1 ? printTextarea : printPlainText;
    case "title":
      return printPlainText;
    case "style":
      return printStyle;
    case "script":
    case "data":
      if (!isInCode) throw positionError(scriptAdvice);
      return tokenizer.rawTextKind === "script" ? printScript : printJson;
    default:
      throw positionError(`A <${tokenizer.elementName}> of this type cannot contain a value.`);
  }
}

function attributePrinter(tokenizer: TemplateTokenizer, isInCode: boolean, positionError: PositionError): Printer {
  const { attributeKind: kind, attributeName: name } = tokenizer;
  if (name.startsWith("?")) throw positionError(`Write the optional attribute without quotes: ${name}=\${…}.`);
  if (kind === "boolean")
    throw positionError(`"${name}" is a boolean attribute: write ?${name}=\${…} with true or false.`);
  if (kind === "restricted")
    throw positionError(`The attribute "${name}" of <${tokenizer.elementName}> must be written out.`);
  if (kind === "url") return urlPrinter(tokenizer, positionError);
  if (kind === "message" && tokenizer.literalText !== "") return printPlainText;
  if (kind === "script" && !isInCode) throw positionError(scriptAdvice);
  if (kind === "trigger" && /\[[^\]]*$/.test(tokenizer.literalText))
    throw positionError("A filter in brackets runs as a script and must be written out.");
  return attributePrinters[kind];
}

function urlPrinter({ literalText, valueCount }: TemplateTokenizer, positionError: PositionError): Printer {
  if (/[:/?#&]/.test(literalText)) {
    if (/^(?:javascript|vbscript|data)$/.test(schemeOf(literalText) ?? "")) {
      throw positionError("A URL that is a script or data cannot contain a value. Give the whole URL as one value.");
    }
    return printPlainText;
  }
  return valueCount === 1 && literalText.trim() === "" ? attributePrinters.url : printUrlPart;
}

function optionalAttributePrinter(tokenizer: TemplateTokenizer, positionError: PositionError): Printer {
  const { attributeName: name, attributeKind: kind } = tokenizer;
  if (!name.startsWith("?"))
    throw positionError(`Quote the value: ${name}="\${…}", or write ?${name}=\${…} for an optional attribute.`);
  if (kind === "restricted") throw positionError(`The attribute "${name.slice(1)}" must be written out.`);
  tokenizer.state = "after optional value";
  return optionalPrinter(name.slice(1), kind);
}

const scriptAdvice =
  "In a script, write the value as an expression, without quotes around it: it prints as JSON. " +
  "At the start of the script, const data = ${json(data)}; always works.";

const excerpt = (part: string): string => part.slice(-60);

const describeLocation = (tokenizer: TemplateTokenizer): string => {
  if (tokenizer.state === "comment" || tokenizer.state === "declaration") return `a ${tokenizer.state}`;
  return tokenizer.state === "raw text" ? `<${tokenizer.elementName}>` : `the tag <${tokenizer.elementName}>`;
};

import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_LANGUAGE_UNKNOWN: (locale: string, locales: readonly string[]): string =>
    `There is no language ${JSON.stringify(locale)}. The languages are ${locales.join(", ")}.`,
  E_LANGUAGE_TAG: (tag: string): string =>
    `${JSON.stringify(tag)} is not a language tag (BCP 47). Tags are such as "de", "de-CH" and "zh-Hant".`,
  E_LANGUAGE_TEXT: (path: string, position: number, problem: string): string =>
    `The text ${path} ${problem} at position ${position}.`,
  E_LANGUAGE_FORMAT_MISSING: (path: string): string =>
    `The text ${path} is a message of MessageFormat 2. Give Language.make the option { format: messageFormat } from "limmat/messageformat".`,
  E_LANGUAGE_VALUE_MISSING: (path: string, name: string): string =>
    `The text ${path} needs the value ${JSON.stringify(name)}. Give it as a property of the first argument.`,
  E_LANGUAGE_CHECK: (count: number): string =>
    count === 1
      ? "One text has a problem, which is printed above."
      : `${count} texts have problems, which are printed above.`,
  E_LANGUAGE_LIBRARY_MISSING: (name: string, version: string): string =>
    `The package "${name}" is not installed. Install it with: npm install ${name}@${version}`,
};

/** Errors of this module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);

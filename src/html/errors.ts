import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_HTML_NAME: (name: string, kind: string): string =>
    `${JSON.stringify(name)} is not a valid name of ${kind}: it is empty or contains a character that names cannot have.`,
  E_HTML_POSITION: (problem: string, precedingText: string): string =>
    `${problem} This is about the value after ${JSON.stringify(precedingText)} in an html template.`,
  E_HTML_UNFINISHED: (location: string, precedingText: string): string =>
    `An html template ends inside ${location}, after ${JSON.stringify(precedingText)}. Close it in the same template: ` +
    "templates can be combined only where text is allowed.",
  E_HTML_VALUE: (description: string, advice: string): string =>
    `An html template cannot print ${description}. ${advice}`,
  E_MARKDOWN_LIBRARY_MISSING: (name: string, version: string): string =>
    `The package "${name}" is not installed. Install it with: npm install ${name}@${version}`,
};

/** Error catalogue of this module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);

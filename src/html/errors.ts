import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_HTML_NAME: {
    message: (name: string, kind: string): string =>
      `${JSON.stringify(name)} cannot be the name of ${kind}: it holds characters that names do not have.`,
  },
  E_HTML_POSITION: {
    message: (problem: string, near: string): string =>
      `${problem} It is about the value that follows ${JSON.stringify(near)} in an html template.`,
  },
  E_HTML_UNFINISHED: {
    message: (where: string, near: string): string =>
      `An html template ends inside ${where}, after ${JSON.stringify(near)}. Close it in the same template: pieces of ` +
      "a page are put together in text only.",
  },
  E_HTML_VALUE: {
    message: (given: string, advice: string): string => `An html template cannot print ${given}. ${advice}`,
  },
};

/** The errors of this room. */
export const errors: Catalogue<typeof entries> = catalogue(entries);

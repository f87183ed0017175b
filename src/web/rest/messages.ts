import { singularize } from "../../inflection/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import type { FieldTexts } from "../labels.ts";
import { capitalize } from "../names.ts";

/** Texts of a resource. An object with getters, such as a group of a catalogue, is read on each request. */
export interface ResourceTexts extends FieldTexts {
  /** Words for one item, as inside a sentence: `blog post`. */
  readonly one: string;
  /** Words for several items, as inside a sentence: `blog posts`. */
  readonly many: string;
  /** Notice after a creation. Default: "Blog post added" in the language of the page. */
  readonly created?: string | undefined;
  readonly updated?: string | undefined;
  readonly deleted?: string | undefined;
  /** Alert above a form with errors. */
  readonly invalid?: string | undefined;
}

/** Texts of a resource whose other texts have defaults. */
export type OptionalTexts = Partial<ResourceTexts> | undefined;

/** Returns the notice after a change. */
export function noticeOf(name: string, texts: OptionalTexts, change: "created" | "updated" | "deleted"): string {
  return texts?.[change] ?? sentence(LanguageInternals.frameworkTexts().components[change], name, texts);
}

/** Returns the alert above a form with errors. */
export const invalidText = (texts: OptionalTexts): string =>
  texts?.invalid ?? LanguageInternals.frameworkTexts().components.invalid;

/** Returns a text with the word for one item: by default the last part of the resource name in the singular. */
export const sentence = (make: (one: string) => string, name: string, texts: OptionalTexts): string =>
  capitalize(make(texts?.one ?? wordOf(name)));

/** Returns the word for one item of a resource: `todos` → `todo`, `admin/line_items` → `line item`. */
function wordOf(name: string): string {
  const words = (name.split("/").at(-1) ?? name).split(/[-_ ]+|(?<=[a-z0-9])(?=[A-Z])/).filter((word) => word !== "");
  return singularize(words.join("_").toLowerCase()).replaceAll("_", " ");
}

import { singularize } from "../../inflection/index.ts";
import { capitalize } from "../names.ts";

/** Messages to users of a resource. Each can be replaced, for another tone or language. */
export interface ResourceMessages {
  /** Name of one item. Default: the last part of the resource name in the singular, `line-items` → `Line item`. */
  readonly label: string;
  readonly created: (label: string) => string;
  readonly updated: (label: string) => string;
  readonly deleted: (label: string) => string;
  /** Message above a form with errors. */
  readonly invalid: string;
}

/** Returns the messages of a resource, with English defaults. */
export function messagesOf(name: string, overrides: Partial<ResourceMessages> = {}): ResourceMessages {
  return {
    label: labelOf(name),
    created: (label) => `${label} added`,
    updated: (label) => `${label} saved`,
    deleted: (label) => `${label} deleted`,
    invalid: "Please check the marked fields",
    ...overrides,
  };
}

/** Returns the label of one item of a resource: `todos` → `Todo`, `admin/line_items` → `Line item`. */
function labelOf(name: string): string {
  const words = (name.split("/").at(-1) ?? name).split(/[-_ ]+|(?<=[a-z0-9])(?=[A-Z])/).filter((word) => word !== "");
  const label = singularize(words.join("_").toLowerCase()).replaceAll("_", " ");
  return capitalize(label);
}

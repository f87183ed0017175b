import { singularize } from "../../inflection/index.ts";

/** What users of a resource are told. Replace any of them, for another tone or language. */
export interface ResourceMessages {
  /** What one item is called. Default: the last part of the name in the singular, `line-items` → `Line item`. */
  readonly label: string;
  readonly created: (label: string) => string;
  readonly updated: (label: string) => string;
  readonly deleted: (label: string) => string;
  /** The form has errors. */
  readonly invalid: string;
}

/** The messages of a resource, those that are not given in English. */
export function messagesOf(name: string, given: Partial<ResourceMessages> = {}): ResourceMessages {
  return {
    label: knownLabelOf(name),
    created: (label) => `${label} added`,
    updated: (label) => `${label} saved`,
    deleted: (label) => `${label} deleted`,
    invalid: "Please check the marked fields",
    ...given,
  };
}

const labels = new Map<string, string>();

/** The same as `labelOf`, kept: names of resources come from code, and so are few. */
function knownLabelOf(name: string): string {
  let label = labels.get(name);
  if (label === undefined) labels.set(name, (label = labelOf(name)));
  return label;
}

/** What one item of a resource is called: `todos` → `Todo`, `admin/line_items` → `Line item`. */
function labelOf(name: string): string {
  const words = (name.split("/").at(-1) ?? name).split(/[-_ ]+|(?<=[a-z0-9])(?=[A-Z])/).filter((word) => word !== "");
  const label = singularize(words.join("_").toLowerCase()).replaceAll("_", " ");
  return label.charAt(0).toUpperCase() + label.slice(1);
}

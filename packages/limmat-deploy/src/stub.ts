import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Reads a stub: `stubs/<name>.stub`. */
export function readStub(name: string): string {
  return readFileSync(join(import.meta.dirname, "../stubs", `${name}.stub`), "utf8");
}

/** Renders a stub: replaces `{{name}}` by its value. An empty value that is alone on its line removes the line. */
export function renderStub(name: string, values: Readonly<Record<string, string>>): string {
  return readStub(name).replaceAll(/^\{\{(\w+)\}\}\n|\{\{(\w+)\}\}/gm, (_, line?: string, inline?: string) => {
    const key = line ?? inline ?? "";
    const value = values[key];
    if (value === undefined) throw new Error(`The stub ${name} has no value for {{${key}}}.`);
    return line === undefined || value === "" ? value : `${value}\n`;
  });
}

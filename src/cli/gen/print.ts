/** Prints lists the way the formatter does: on one line where that fits, otherwise one item per line. */

/** The width that the formatter of a project allows. */
export const width = 120;

/**
 * `open`, the items separated by commas, `close`. `indent` is how deep the line with `open` stands, in spaces; `before`
 * and `after` are what else is on its first and last line.
 */
export function printList(
  items: readonly string[],
  {
    open,
    close,
    pad = "",
    indent = 0,
    before = "",
    after = "",
  }: {
    readonly open: string;
    readonly close: string;
    readonly pad?: string;
    readonly indent?: number;
    readonly before?: string;
    readonly after?: string;
  },
): string {
  const short = `${before}${open}${pad}${items.join(", ")}${pad}${close}${after}`;
  if (indent + short.length <= width && !short.includes("\n")) return short;
  const edge = " ".repeat(indent);
  return [`${before}${open}`, ...items.map((item) => `${edge}  ${item},`), `${edge}${close}${after}`].join("\n");
}

/** A call with one object, as an item of a list that stands at most four deep. */
export function printObjectCall(name: string, members: readonly string[]): string {
  return printList(members, { open: "{", close: "}", pad: " ", before: `    ${name}(`, after: ")," })
    .trim()
    .slice(0, -1);
}

/** A call whose last argument is an object, which is left out when it has no members; with a comma behind. */
export function printCall(name: string, args: readonly string[], members: readonly string[], indent: number): string {
  if (members.length === 0) return printList(args, { open: "(", close: ")", indent, before: name, after: "," });
  const edge = " ".repeat(indent);
  const object = `{ ${members.join(", ")} }`;
  const start = `${name}(${args.join(", ")}, {`;
  if (indent + start.length + object.length <= width) return `${name}(${[...args, object].join(", ")}),`;
  if (indent + start.length > width)
    return printList([...args, object], { open: "(", close: ")", indent, before: name, after: "," });
  return [start, ...members.map((member) => `${edge}  ${member},`), `${edge}}),`].join("\n");
}

/** An import or an export of names, which are put in order. */
export function printNames(keyword: "import" | "export", names: readonly string[], from: string): string {
  const bare = (name: string): string => name.replace(/^type /, "");
  const sorted = names.toSorted((a, b) => bare(a).localeCompare(bare(b), "en"));
  return printList(sorted, { open: "{", close: "}", pad: " ", before: `${keyword} `, after: ` from "${from}";` });
}

/** A text as a string literal of TypeScript. */
export const literal = (text: string): string => JSON.stringify(text);

/** `an order`, `a todo`. */
export const withArticle = (words: string): string => `${/^[aeio]/.test(words) ? "an" : "a"} ${words}`;

// A tokenizer for tests, after the HTML standard (13.2.5), independent of the tokenizer of templates.

export type Token =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tag"; readonly name: string; readonly attributes: readonly (readonly [string, string])[] }
  | { readonly type: "comment" };

const attribute = /[\s/]+([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y;

/** Tokenizes a page as a browser does. Text in script and style stays raw, all other text is decoded. */
export function tokenize(page: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  let raw: string | undefined;
  const text = (to: number): void => {
    if (to > position)
      tokens.push({
        type: "text",
        text:
          raw === "script" || raw === "style" ? page.slice(position, to) : decodeReferences(page.slice(position, to)),
      });
    position = to;
  };
  while (position < page.length) {
    const rest = page.slice(position);
    const next = raw === undefined ? rest.search(/<[a-z/!?]/i) : rest.search(new RegExp(`</${raw}[\\s/>]`, "i"));
    text(next === -1 ? page.length : position + next);
    if (position >= page.length) break;
    raw = undefined;
    if (page.startsWith("<!--", position)) {
      const end = /^<!--(?:-?>|[^]*?--!?>)/.exec(page.slice(position));
      position = end === null ? page.length : position + end[0].length;
      tokens.push({ type: "comment" });
      continue;
    }
    const name = /^<(\/?[a-z][^\s/>]*)/i.exec(page.slice(position))?.[1];
    if (name === undefined) throw new Error(`no tag: ${page.slice(position, position + 40)}`);
    position += name.length + 1;
    const attributes: [string, string][] = [];
    for (;;) {
      attribute.lastIndex = position;
      const match = attribute.exec(page);
      if (match === null) break;
      attributes.push([match[1] as string, decodeReferences(match[2] ?? match[3] ?? match[4] ?? "")]);
      position = attribute.lastIndex;
    }
    const end = /^[\s/]*>/.exec(page.slice(position));
    if (end === null) throw new Error(`an open tag: ${page.slice(position, position + 40)}`);
    position += end[0].length;
    tokens.push({ type: "tag", name, attributes });
    if (/^(?:script|style|textarea|title)$/i.test(name)) raw = name;
  }
  return tokens;
}

const references: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#45": "-" };

/** Decodes the character references that templates print. Any other ampersand is an error. */
function decodeReferences(text: string): string {
  return text.replace(/&(?:(amp|lt|gt|quot|#39|#45);)?/g, (_, name: string | undefined) => {
    if (name === undefined) throw new Error(`a bare ampersand: ${text}`);
    return references[name] as string;
  });
}

// A tokenizer for the tests, after the HTML standard (13.2.5) and independent of the one that templates are read with.

export type Token =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tag"; readonly name: string; readonly attributes: readonly (readonly [string, string])[] }
  | { readonly type: "comment" };

const attribute = /[\s/]+([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y;

/** What a browser reads from a page. Text within script and style is given as it stands, all other text decoded. */
export function tokenize(page: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let raw: string | undefined;
  const text = (to: number): void => {
    if (to > at)
      tokens.push({
        type: "text",
        text: raw === "script" || raw === "style" ? page.slice(at, to) : decode(page.slice(at, to)),
      });
    at = to;
  };
  while (at < page.length) {
    const rest = page.slice(at);
    const next = raw === undefined ? rest.search(/<[a-z/!?]/i) : rest.search(new RegExp(`</${raw}[\\s/>]`, "i"));
    text(next === -1 ? page.length : at + next);
    if (at >= page.length) break;
    raw = undefined;
    if (page.startsWith("<!--", at)) {
      const end = /^<!--(?:-?>|[^]*?--!?>)/.exec(page.slice(at));
      at = end === null ? page.length : at + end[0].length;
      tokens.push({ type: "comment" });
      continue;
    }
    const name = /^<(\/?[a-z][^\s/>]*)/i.exec(page.slice(at))?.[1];
    if (name === undefined) throw new Error(`no tag: ${page.slice(at, at + 40)}`);
    at += name.length + 1;
    const attributes: [string, string][] = [];
    for (;;) {
      attribute.lastIndex = at;
      const found = attribute.exec(page);
      if (found === null) break;
      attributes.push([found[1] as string, decode(found[2] ?? found[3] ?? found[4] ?? "")]);
      at = attribute.lastIndex;
    }
    const end = /^[\s/]*>/.exec(page.slice(at));
    if (end === null) throw new Error(`an open tag: ${page.slice(at, at + 40)}`);
    at += end[0].length;
    tokens.push({ type: "tag", name, attributes });
    if (/^(?:script|style|textarea|title)$/i.test(name)) raw = name;
  }
  return tokens;
}

const references: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#45": "-" };

/** Decodes the references that templates write; any other ampersand is a fault. */
function decode(text: string): string {
  return text.replace(/&(?:(amp|lt|gt|quot|#39|#45);)?/g, (_, name: string | undefined) => {
    if (name === undefined) throw new Error(`a bare ampersand: ${text}`);
    return references[name] as string;
  });
}

import GithubSlugger from "github-slugger";
import MarkdownIt from "markdown-it";
import { escapeHtml, type Highlight, type LinkOf } from "./highlight.ts";
import { resolveLink } from "./links.ts";
import { type Page, plainText, relativeUrl, type Site } from "./pages.ts";

type Token = ReturnType<MarkdownIt["parse"]>[number];

/** Heading of a page, for the list of its contents. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** Values that the renderer reads and writes while it renders one page. */
export interface RenderEnvironment {
  readonly page: Page;
  /** Headings of the levels 2 and 3. */
  readonly headings: Heading[];
  /** Returns the URL of a type's reference. Set for pages of the reference. */
  readonly linkOf?: LinkOf | undefined;
}

/** Page of all error codes. The reference links its rows. */
const errorSource = "docs/reference/errors.md";

/** Creates the Markdown renderer of a site. Anchors of headings are those of the repository's host. */
export function createMarkdown(site: Site, highlight: Highlight): MarkdownIt {
  const markdown = new MarkdownIt({ html: true });
  markdown.core.ruler.push("headings", ({ tokens, env }) => addAnchors(tokens, env as RenderEnvironment));
  markdown.core.ruler.push("tables", ({ tokens }) => {
    replaceEmptyHeadings(tokens);
    labelCells(tokens);
  });
  markdown.core.ruler.push("rows", ({ tokens, env }) => {
    if ((env as RenderEnvironment).page.source === errorSource) addRowAnchors(tokens);
  });
  markdown.core.ruler.push("links", ({ tokens, env }) => {
    for (const { children } of tokens) if (children !== null) rewriteLinks(site, children, env as RenderEnvironment);
  });
  markdown.renderer.rules["fence"] = (tokens, index, _options, env) => {
    const { content, info } = tokens[index] as Token;
    const [language = ""] = info.trim().split(/\s+/);
    const { linkOf } = env as RenderEnvironment;
    const code = highlight(content.trimEnd(), language, language === "ts" ? linkOf : undefined);
    // A region that scrolls has to be reachable with the keyboard.
    return `<div class="code"><pre tabindex="0"><code>${code}</code></pre></div>\n`;
  };
  markdown.renderer.rules["table_open"] = (tokens, index) =>
    `<div class="${tokens[index]?.meta === isStacked ? "table stacked" : "table"}" tabindex="0"><table>\n`;
  markdown.renderer.rules["table_close"] = () => `</table></div>\n`;
  return markdown;
}

function addAnchors(tokens: readonly Token[], env: RenderEnvironment): void {
  const slugger = new GithubSlugger();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== "heading_open") continue;
    const inline = tokens[index + 1] as Token;
    const text = (inline.children ?? []).map(({ content }) => content).join("");
    const id = slugger.slug(text);
    const level = Number(token.tag.slice(1));
    token.attrSet("id", id);
    if (level === 1) continue;
    if (level <= 3) env.headings.push({ level, id, text });
    const Constructor = inline.constructor as new (type: string, tag: string, nesting: number) => Token;
    const anchor = new Constructor("html_inline", "", 0);
    anchor.content = `<a class="anchor" href="#${escapeHtml(id)}" aria-label="Link to ${escapeHtml(text)}"></a>`;
    inline.children?.push(anchor);
  }
}

/** Turns empty cells of table heads into data cells: a heading without text announces nothing. */
function replaceEmptyHeadings(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== "th_open" || tokens[index + 1]?.content !== "") continue;
    token.tag = "td";
    (tokens[index + 2] as Token).tag = "td";
  }
}

/** Mark of tables whose cells phones show below each other. */
const isStacked = "stacked";
/** Number of characters of a cell that needs most of a phone's width, and of a first cell that leaves no space for it. */
const longCellLength = 40;
const longFirstCellLength = 18;

/** Marks tables of sentences that are too wide for a phone, and gives their cells the headings of their columns as labels. */
function labelCells(tokens: readonly Token[]): void {
  for (const [start, table] of tokens.entries()) {
    if (table.type !== "table_open") continue;
    const end = tokens.findIndex(({ type }, index) => index > start && type === "table_close");
    const cells = tokens.slice(start, end).flatMap((token, index) => {
      const text = tokens[start + index + 1]?.content ?? "";
      return token.type === "th_open" || token.type === "td_open" ? [{ token, text }] : [];
    });
    const headings = cells.filter(({ token }) => token.type === "th_open").map(({ text }) => plainText(text));
    const hasLongCell = (length: number, isIn: (column: number) => boolean): boolean =>
      cells.some(({ text }, index) => isIn(index % headings.length) && plainText(text).length > length);
    const isWide =
      hasLongCell(longCellLength, (column) => column > 0) &&
      (headings.length > 2 || hasLongCell(longFirstCellLength, (column) => column === 0));
    if (!isWide) continue;
    table.meta = isStacked;
    for (const [index, { token }] of cells.entries()) {
      const column = index % headings.length;
      const label = headings[column] ?? "";
      // The second of two columns needs no label.
      if (token.type === "td_open" && column > 0 && headings.length > 2 && label !== "") {
        token.attrSet("data-label", label);
      }
    }
  }
}

/** Gives each row that begins with an error code its code as an anchor: `errors.html#E_STALE`. */
function addRowAnchors(tokens: readonly Token[]): void {
  const codes = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    const [, code] = /^`(E_[A-Z0-9_]+)`(?: \d+)?$/.exec(tokens[index + 2]?.content ?? "") ?? [];
    if (token.type !== "tr_open" || code === undefined || codes.has(code)) continue;
    codes.add(code);
    token.attrSet("id", code);
  }
}

function rewriteLinks(site: Site, tokens: Token[], env: RenderEnvironment): void {
  const { page } = env;
  // Links to files outside of the site become text if the repository has no URL.
  let isUnlinked = false;
  for (const token of tokens) {
    if (token.type === "link_close" && isUnlinked) {
      token.tag = "span";
      isUnlinked = false;
    }
    const attribute = token.type === "link_open" ? "href" : token.type === "image" ? "src" : undefined;
    if (attribute === undefined) continue;
    if (token.type === "image") token.attrSet("loading", "lazy");
    const href = token.attrGet(attribute) ?? "";
    const target = resolveLink(site, page.source, href);
    if (target.kind === "page") {
      const isSamePage = target.page === page && target.hash !== "";
      token.attrSet(attribute, isSamePage ? target.hash : relativeUrl(page.url, target.page.url) + target.hash);
    } else if (target.kind === "file") token.attrSet(attribute, relativeUrl(page.url, target.path));
    else if (target.kind === "repository" && target.url !== undefined) token.attrSet(attribute, target.url);
    else if (target.kind === "repository") {
      token.tag = "span";
      token.attrs = [["class", "file"]];
      isUnlinked = true;
    }
  }
}

import { createRequire } from "node:module";
import type MarkdownIt from "markdown-it";
import type { MarkdownIt as Parser, StateCore } from "markdown-it";
import { isPackageMissing, lazy } from "../../core/index.ts";
import { errors } from "../errors.ts";
import { type Html, unsafeHtml } from "../safe.ts";
import { safeUrl } from "../url.ts";

/** Options of `renderMarkdown`. */
export interface MarkdownOptions {
  /** Level of a heading with one `#`, 1 to 6, so that the text fits into the outline of its page. Default 1. */
  readonly headingLevel?: number;
  /** True for tables. Not for untrusted texts: a table of 2 KB can take 0.3 s and become 600 KB. Default false. */
  readonly tables?: boolean;
}

/**
 * Renders Markdown (CommonMark, with strikethrough) as HTML. The text may be untrusted: HTML in it is shown as text, and so
 * is a link or an image whose URL `safeUrl` refuses. Needs the package `markdown-it`.
 *
 * The time is linear in the length of the text: limit it, as `Schema.text` does. Long link references that repeat stay text.
 *
 * @throws E_MARKDOWN_LIBRARY_MISSING
 * @example
 * html`<article>${renderMarkdown(post.text, { headingLevel: 2 })}</article>`
 */
export function renderMarkdown(text: string, { headingLevel = 1, tables = false }: MarkdownOptions = {}): Html {
  return unsafeHtml((tables ? parserWithTables() : parserWithoutTables()).render(text, { headingLevel }));
}

const parserWithTables = lazy(makeParser);
const parserWithoutTables = lazy(() => makeParser().disable("table"));

function makeParser(): Parser {
  const parser = new (loadLibrary())("default", { html: false });
  parser.validateLink = (url) => safeUrl(url) === url;
  parser.core.ruler.after("block", "references", removeLargeReferences);
  parser.core.ruler.push("limmat", ({ tokens, env }) => {
    const addedLevels = Number(env["headingLevel"]) - 1;
    for (const token of tokens) {
      if (token.type.startsWith("heading_")) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + addedLevels)}`;
      // The default content security policy blocks style attributes.
      const alignment = /^text-align:(\w+)$/.exec(String(token.attrGet("style") ?? ""))?.[1];
      if (alignment !== undefined) token.attrs = [["align", alignment]];
    }
  });
  return parser;
}

/** Removes link references whose URL and title could add more than 200,000 characters: each `[` can repeat them. */
function removeLargeReferences({ src, env }: Pick<StateCore, "src" | "env">): void {
  const maxLength = 200_000 / src.split("[").length;
  for (const [label, { href, title }] of Object.entries(env.references ?? {}))
    if (href.length + title.length > maxLength) delete env.references?.[label];
}

function loadLibrary(): typeof MarkdownIt {
  try {
    return createRequire(import.meta.url)("markdown-it") as typeof MarkdownIt;
  } catch (cause) {
    if (!isPackageMissing(cause, "markdown-it")) throw cause;
    throw errors.E_MARKDOWN_LIBRARY_MISSING("markdown-it", "15").causedBy(cause);
  }
}

import { parseQuery, type Query } from "./search-query.ts";
import { unescapeEntities } from "./unescape-entities.ts";

/** Result of a search, in the form of the search index that the published site uses. */
export interface SearchResult {
  readonly url: string;
  /** HTML: the escaped text with `<mark>` around the words. */
  readonly excerpt: string;
  readonly meta: { readonly title: string; readonly section: string };
  /** Sections of the page that contain the words. */
  readonly sub_results: readonly { readonly title: string; readonly url: string; readonly excerpt: string }[];
}

/** Results of a search, best first. */
export interface SearchResults {
  /** Number of pages that match. */
  readonly total: number;
  /** The first of them. */
  readonly results: readonly SearchResult[];
}

interface Section {
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

interface IndexedPage {
  readonly url: string;
  readonly title: string;
  readonly group: string;
  /** Words that users type and the page does not contain. */
  readonly keywords: string;
  /** Factor of the score: pages that rarely answer a question of a user have a low one. */
  readonly weight: number;
  readonly sections: readonly Section[];
}

const maxResults = 8;
const maxSections = 2;
const excerptLength = 150;
const scores = {
  title: 30,
  titleEqual: 60,
  keyword: 25,
  heading: 12,
  headingComplete: 20,
  headingEqual: 60,
  phrase: 12,
  occurrence: 1,
  maxOccurrences: 4,
};

/** Returns a function that searches the HTML pages. It reads them on the first search, which takes about 0.2 s. */
export function createDocsSearch(files: ReadonlyMap<string, Buffer>): (term: string) => SearchResults {
  let pages: readonly IndexedPage[] | undefined;
  return (term) => {
    const query = parseQuery(term);
    if (query === undefined) return { total: 0, results: [] };
    pages ??= [...files].flatMap(([path, content]) =>
      path.endsWith(".html") ? indexPage(path, content.toString()) : [],
    );
    const scored = pages
      .map((page) => ({ page, ...scorePage(page, query) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    const results = scored.slice(0, maxResults).map(({ page, sections }) => toResult(page, sections, query));
    return { total: scored.length, results };
  };
}

function indexPage(path: string, html: string): IndexedPage[] {
  const article = /<article[^>]*data-pagefind-weight="([\d.]+)"[^>]*>([^]*?)<\/article>/.exec(html);
  if (article === null) return [];
  const [, weight = "1", content = ""] = article;
  const [head = "", ...parts] = content.split(/<(?:h[234]|tr) id="/);
  const sections = parts.map((part) => {
    const [, id = "", heading = "", body = ""] = /^([^"]*)"[^>]*>([^]*?)<\/(?:h[234]|td)>([^]*)$/.exec(part) ?? [];
    return { id: unescapeEntities(id), heading: textOf(heading), text: textOf(body) };
  });
  const title = textOf(/<h1[^>]*>([^]*?)<\/h1>/.exec(head)?.[1] ?? "");
  const group = textOf(/<p class="crumbs"[^>]*>([^]*?)<\/p>/.exec(head)?.[1] ?? "");
  const introduction = textOf(head.replace(/^[^]*<\/h1>/, ""));
  return [
    {
      url: `/${path}`,
      title,
      group,
      keywords: unescapeEntities(/<meta name="keywords" content="([^"]*)"/.exec(html)?.[1] ?? ""),
      weight: Number(weight),
      sections: [{ id: "", heading: "", text: introduction }, ...sections],
    },
  ];
}

/** Returns the text of HTML on one line. Elements of blocks are separated by a space. */
const textOf = (html: string): string =>
  unescapeEntities(html.replaceAll(/<\/?(?:p|li|td|th|tr|div|pre|h\d)[^>]*>/g, " ").replaceAll(/<[^>]*>/g, ""))
    .replaceAll(/\s+/g, " ")
    .trim();

/** Scores a page. The page has to contain all words; a section counts if it does, together with the title. */
function scorePage(page: IndexedPage, query: Query): { score: number; sections: readonly Section[] } {
  const { words } = query;
  const scored = page.sections.map((section) => ({ section, ...scoreSection(section, page, query) }));
  const title = words.map((word) => count(page.title, word));
  const keywords = words.map((word) => count(page.keywords, word));
  const isComplete = words.every(
    (_, index) => title[index] !== 0 || keywords[index] !== 0 || scored.some(({ found }) => found[index] === true),
  );
  if (!isComplete) return { score: 0, sections: [] };
  const inTitle = title.filter((matches) => matches > 0).length * scores.title;
  const inKeywords = keywords.every((matches) => matches > 0) ? scores.keyword * words.length : 0;
  const isTitle = sameName(page.title, query) ? scores.titleEqual : 0;
  const best = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  const inSections = best.slice(0, 3).reduce((sum, { score }) => sum + score, 0);
  // The name of an export is searched for its reference.
  const weight = query.isName && page.url.startsWith("/reference/") ? 1 : page.weight;
  return {
    score: ((inTitle + inKeywords) / words.length + isTitle + inSections + 1) * weight,
    sections: best.map(({ section }) => section),
  };
}

interface SectionScore {
  readonly score: number;
  /** For each word, true if the section contains it. */
  readonly found: readonly boolean[];
}

function scoreSection({ heading, text }: Section, { title }: IndexedPage, query: Query): SectionScore {
  const { words, phrase } = query;
  // A row of an error code answers questions for its code, or for all words of it.
  const isOtherCode = words.length === 1 && /^E_[A-Z0-9_]+$/.test(heading) && !sameName(heading, query);
  const inHeading = words.map((word) => (isOtherCode ? 0 : count(heading, word)));
  const inText = words.map((word) => count(text, word));
  const found = words.map((_, index) => inHeading[index] !== 0 || inText[index] !== 0);
  if (!words.every((word, index) => found[index] === true || count(title, word) > 0)) return { score: 0, found };
  let score = sameName(heading, query) ? scores.headingEqual : 0;
  if (inHeading.every((matches) => matches > 0)) score += scores.headingComplete;
  score += (scores.heading * inHeading.filter((matches) => matches > 0).length) / words.length;
  for (const matches of inText) score += Math.min(matches, scores.maxOccurrences) * scores.occurrence;
  if (words.length > 1 && text.toLowerCase().includes(phrase)) score += scores.phrase;
  return { score, found };
}

/** True if a title or heading is the query, or ends with its name: `Web.Csrf.find` for `find`. */
function sameName(name: string, { phrase }: Query): boolean {
  const folded = name.toLowerCase();
  return phrase !== "" && (folded === phrase || folded.endsWith(`.${phrase}`));
}

const count = (text: string, word: RegExp): number => text.match(word)?.length ?? 0;

function toResult(page: IndexedPage, sections: readonly Section[], query: Query): SearchResult {
  const best = sections[0] ?? page.sections[0];
  return {
    url: page.url,
    excerpt: excerptOf(best?.text ?? "", query),
    meta: { title: page.title, section: page.group },
    sub_results: sections
      .filter(({ id }) => id !== "")
      .slice(0, maxSections)
      .map(({ id, heading, text }) => ({
        title: heading,
        url: `${page.url}#${encodeURIComponent(id)}`,
        excerpt: excerptOf(text, query),
      })),
  };
}

/** Returns the text around the first word, escaped, with the words marked. */
function excerptOf(text: string, { words }: Query): string {
  const matches = words.flatMap((word) => [...text.matchAll(word)]).sort((a, b) => a.index - b.index);
  const first = Math.max(0, (matches[0]?.index ?? 0) - excerptLength / 3);
  const start = first === 0 ? 0 : text.indexOf(" ", first) + 1;
  const isCut = text.length > start + excerptLength;
  const lastSpace = text.lastIndexOf(" ", start + excerptLength);
  const end = !isCut ? text.length : lastSpace > start ? lastSpace : start + excerptLength;
  let html = start === 0 ? "" : "… ";
  let position = start;
  for (const { 0: match, index } of matches) {
    if (index < position || index + match.length > end) continue;
    html += `${escapeText(text.slice(position, index))}<mark>${escapeText(match)}</mark>`;
    position = index + match.length;
  }
  return `${html}${escapeText(text.slice(position, end))}${isCut ? " …" : ""}`;
}

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

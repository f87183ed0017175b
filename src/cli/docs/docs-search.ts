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

interface Section {
  readonly id: string;
  readonly heading: string;
  readonly text: string;
  /** Heading and text in lower case. */
  readonly folded: string;
}

interface IndexedPage {
  readonly url: string;
  readonly title: string;
  readonly group: string;
  /** Factor of the score: pages that rarely answer a question of a user have a low one. */
  readonly weight: number;
  readonly sections: readonly Section[];
}

const maxResults = 8;
const maxSections = 2;
const excerptLength = 150;
const scores = { title: 30, titleStart: 60, heading: 12, headingEqual: 60, occurrence: 1, maxOccurrences: 4 };

/** Returns a function that searches the HTML pages. It reads them on the first search, which takes about 0.2 s. */
export function createDocsSearch(files: ReadonlyMap<string, Buffer>): (term: string) => readonly SearchResult[] {
  let pages: readonly IndexedPage[] | undefined;
  return (term) => {
    const words = [...new Set(term.toLowerCase().split(/\s+/))].filter((word) => word !== "").slice(0, 10);
    if (words.length === 0) return [];
    pages ??= [...files].flatMap(([path, content]) =>
      path.endsWith(".html") ? indexPage(path, content.toString()) : [],
    );
    return pages
      .map((page) => ({ page, ...scorePage(page, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, maxResults)
      .map(({ page, sections }) => toResult(page, sections, words));
  };
}

function indexPage(path: string, html: string): IndexedPage[] {
  const article = /<article[^>]*data-pagefind-weight="([\d.]+)"[^>]*>([^]*?)<\/article>/.exec(html);
  if (article === null) return [];
  const [, weight = "1", content = ""] = article;
  const [head = "", ...parts] = content.split(/<h[234] id="/);
  const sections = parts.map((part) => {
    const [, id = "", heading = "", body = ""] = /^([^"]*)"[^>]*>([^]*?)<\/h[234]>([^]*)$/.exec(part) ?? [];
    return makeSection(unescapeEntities(id), textOf(heading), textOf(body));
  });
  const title = textOf(/<h1[^>]*>([^]*?)<\/h1>/.exec(head)?.[1] ?? "");
  const group = textOf(/<p class="crumbs"[^>]*>([^]*?)<\/p>/.exec(head)?.[1] ?? "");
  const introduction = textOf(head.replace(/^[^]*<\/h1>/, ""));
  return [
    {
      url: `/${path}`,
      title,
      group,
      weight: Number(weight),
      sections: [makeSection("", "", introduction), ...sections],
    },
  ];
}

const makeSection = (id: string, heading: string, text: string): Section => ({
  id,
  heading,
  text,
  folded: `${heading} ${text}`.toLowerCase(),
});

/** Returns the text of HTML on one line. Elements of blocks are separated by a space. */
const textOf = (html: string): string =>
  unescapeEntities(html.replaceAll(/<\/?(?:p|li|td|th|tr|div|pre|h\d)[^>]*>/g, " ").replaceAll(/<[^>]*>/g, ""))
    .replaceAll(/\s+/g, " ")
    .trim();

/** Scores a page. The page has to contain all words; a section counts if it does, too. */
function scorePage(page: IndexedPage, words: readonly string[]): { score: number; sections: readonly Section[] } {
  const title = page.title.toLowerCase();
  const isOnPage = (word: string): boolean =>
    title.includes(word) || page.sections.some(({ folded }) => folded.includes(word));
  if (!words.every(isOnPage)) return { score: 0, sections: [] };
  const inTitle = words.filter((word) => title.includes(word)).length * scores.title;
  const atStart = words.every((word) => title.split(/[\s.]+/).includes(word)) ? scores.titleStart : 0;
  const scored = page.sections
    .map((section) => ({ section, score: scoreSection(section, title, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const best = scored.slice(0, 3).reduce((sum, { score }) => sum + score, 0);
  return { score: (inTitle + atStart + best + 1) * page.weight, sections: scored.map(({ section }) => section) };
}

function scoreSection({ heading, folded }: Section, title: string, words: readonly string[]): number {
  if (!words.every((word) => folded.includes(word) || title.includes(word))) return 0;
  const foldedHeading = heading.toLowerCase();
  let score = foldedHeading === words.join(" ") ? scores.headingEqual : 0;
  for (const word of words) {
    if (foldedHeading.includes(word)) score += scores.heading;
    score += Math.min(folded.split(word).length - 1, scores.maxOccurrences) * scores.occurrence;
  }
  return score;
}

function toResult(page: IndexedPage, sections: readonly Section[], words: readonly string[]): SearchResult {
  const best = sections[0] ?? page.sections[0];
  return {
    url: page.url,
    excerpt: excerptOf(best?.text ?? "", words),
    meta: { title: page.title, section: page.group },
    sub_results: sections
      .filter(({ id }) => id !== "")
      .slice(0, maxSections)
      .map(({ id, heading, text }) => ({
        title: heading,
        url: `${page.url}#${encodeURIComponent(id)}`,
        excerpt: excerptOf(text, words),
      })),
  };
}

/** Returns the text around the first word, escaped, with the words marked. */
function excerptOf(text: string, words: readonly string[]): string {
  const folded = text.toLowerCase();
  const positions = words.map((word) => folded.indexOf(word)).filter((position) => position !== -1);
  const start = Math.max(0, Math.min(...positions, text.length) - excerptLength / 3);
  const wordStart = start === 0 || positions.length === 0 ? 0 : text.indexOf(" ", start) + 1;
  const excerpt = text.slice(wordStart, wordStart + excerptLength);
  const pattern = new RegExp(words.map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")).join("|"), "gi");
  let html = wordStart === 0 ? "" : "… ";
  let position = 0;
  for (const match of excerpt.matchAll(pattern)) {
    html += `${escapeText(excerpt.slice(position, match.index))}<mark>${escapeText(match[0])}</mark>`;
    position = match.index + match[0].length;
  }
  return html + escapeText(excerpt.slice(position));
}

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

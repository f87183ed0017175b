// Search of the site. It runs in the browser, as one file: the build strips the types. It scans the texts of all pages for each
// query, which takes about 20 ms, and needs no inverted index, which would be larger than the texts.
import type { SearchPage, SearchSection } from "./page-index.ts";

/** Results of a search, best first. */
export interface SearchResults {
  /** Number of pages that match. */
  readonly total: number;
  /** The first of them. */
  readonly results: readonly SearchResult[];
  /** The query with corrected words, if no page contains a word of it; else `undefined`. */
  readonly correctedQuery: string | undefined;
}

/** Page that matches a query. */
export interface SearchResult {
  readonly path: string;
  readonly title: string;
  readonly group: string;
  /** HTML: escaped text around the first word, with `<mark>` around each word. */
  readonly excerpt: string;
  /** Sections that match best. */
  readonly sections: readonly { readonly title: string; readonly path: string; readonly excerpt: string }[];
}

/** Word of a query. */
interface Word {
  readonly text: string;
  /** Pattern with the flag `g`. It matches the forms of the word: `cookies` finds `cookie`. */
  readonly pattern: RegExp;
}

interface ScoredSection {
  readonly section: SearchSection;
  readonly score: number;
}

interface ScoredPage {
  readonly page: SearchPage;
  readonly score: number;
  readonly sections: readonly ScoredSection[];
}

const maxWords = 10;
const maxResults = 8;
const maxSections = 2;
const excerptLength = 150;
/** Pages with less than this part of the best score do not match: they contain one common word of several. */
const minScore = 0.1;

/** Number of matches in the text that a match in a field is worth. */
const fieldWeights = { title: 10, terms: 8, heading: 4 };

/** Parameters of BM25: the number of matches that gives half of a word's score, and the influence of a text's length. */
const saturation = 3;
const lengthInfluence = 0.5;

/** Words that say nothing about the subject of a question. */
const stopWords = new Set(
  "a an and are at be by can do does for from how i if in is it my of on or should that the there this to use using was what when where which why with".split(
    " ",
  ),
);

/** Returns a function that searches pages for a text. */
export function createSearch(pages: readonly SearchPage[]): (query: string) => SearchResults {
  const lengths = pages.map(({ sections }) => sections.reduce((sum, { text }) => sum + text.length, 0));
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, pages.length);
  let vocabulary: ReadonlyMap<string, number> | undefined;

  return (query) => {
    const words = parseQuery(query);
    const matches = words.map((word) => pages.map((page) => countPage(page, word)));
    let isCorrected = false;
    for (const [index, word] of words.entries()) {
      if (matches[index]?.some(({ total }) => total > 0) === true) continue;
      vocabulary ??= countWords(pages);
      const correction = correct(word.text, vocabulary);
      if (correction === undefined) continue;
      words[index] = { text: correction, pattern: patternOf(correction) };
      matches[index] = pages.map((page) => countPage(page, words[index] ?? word));
      isCorrected = true;
    }
    const phrase = words.map(({ text }) => text).join(" ");
    const weights = matches.map((counts) => rarity(counts.filter(({ total }) => total > 0).length, pages.length));
    const context = { weights, phrase, isName: isName(query) };
    const scored = pages.map((page, index) => {
      const counts = matches.map((word) => word[index] ?? noMatches);
      return scorePage(page, counts, { ...context, relativeLength: (lengths[index] ?? 0) / averageLength });
    });
    const bestScore = Math.max(0, ...scored.map(({ score }) => score));
    const shown = scored.filter(({ score }) => score > bestScore * minScore).sort((a, b) => b.score - a.score);
    return {
      total: shown.length,
      results: shown.slice(0, maxResults).map((result) => toResult(result, words)),
      correctedQuery: isCorrected ? phrase : undefined,
    };
  };
}

function parseQuery(query: string): Word[] {
  const all = [...new Set(query.toLowerCase().split(/[\s,;!?"']+/))].filter((word) => word !== "");
  const subject = all.filter((word) => !stopWords.has(word));
  return (subject.length === 0 ? all : subject).slice(0, maxWords).map((text) => ({ text, pattern: patternOf(text) }));
}

/** True if a query looks like the name of an export or an error code: `findOpt`, `Web.Csrf`, `E_STALE`. */
const isName = (query: string): boolean => /^\S*(?:\w\.\w|[a-z][A-Z]|\w_\w)\S*$/.test(query.trim());

/**
 * Returns the pattern of a word. It matches at the beginning of a word, so that `rate` does not find `generate`, and of a part
 * of a name, so that `file` finds `UploadedFile`.
 */
function patternOf(word: string): RegExp {
  const escaped = word.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
  if (!/^\w/.test(word)) return new RegExp(escaped, "gi");
  // With an underscore or a digit it is an error code, a name or a number.
  if (!/^[a-z]+$/.test(word)) return new RegExp(`(?<![A-Za-z0-9])${escaped}`, "gi");
  const stem = word.replace(/(?<=^.{4,})(?:ions?|ings?|ies|ied|ed|es|s|e|y)$/, "");
  const rest = stem === word ? "" : "[a-z]*";
  const capitalized = stem.charAt(0).toUpperCase() + stem.slice(1);
  return new RegExp(`(?<![A-Za-z0-9])(?i:${stem}${rest})|(?<=[a-z0-9])${capitalized}${rest}`, "g");
}

/** Numbers of matches of one word in a page. */
interface PageMatches {
  readonly title: number;
  readonly terms: number;
  readonly sections: readonly { readonly heading: number; readonly text: number }[];
  readonly total: number;
}

const noMatches: PageMatches = { title: 0, terms: 0, sections: [], total: 0 };

const count = (text: string, { pattern }: Word): number => text.match(pattern)?.length ?? 0;

function countPage(page: SearchPage, word: Word): PageMatches {
  const title = count(page.title, word);
  const terms = count(page.terms, word);
  let total = title + terms;
  const sections = page.sections.map((section) => {
    const heading = count(section.heading, word);
    const text = count(section.text, word);
    total += heading + text;
    return { heading, text };
  });
  return { title, terms, sections, total };
}

/** Returns the weight of a word: 0 if all pages contain it, and more the fewer do (inverse document frequency). */
const rarity = (pagesWithWord: number, pageCount: number): number =>
  pagesWithWord === 0 ? 0 : Math.log(1 + (pageCount - pagesWithWord + 0.5) / (pagesWithWord + 0.5));

const saturate = (matches: number, relativeLength: number): number =>
  matches / (matches + saturation * (1 - lengthInfluence + lengthInfluence * relativeLength));

interface ScoreContext {
  /** Weights of the words. */
  readonly weights: readonly number[];
  readonly phrase: string;
  /** Length of the page divided by the average length. */
  readonly relativeLength: number;
  readonly isName: boolean;
}

/**
 * Scores a page by BM25 over its fields, and adds the score of its best section, in which the words are close together. A page
 * without some of the words has less than its share.
 */
function scorePage(page: SearchPage, matches: readonly PageMatches[], context: ScoreContext): ScoredPage {
  const { weights, relativeLength } = context;
  const best = weights.reduce((sum, weight) => sum + weight, 0);
  const sum = (valueOf: (matches: PageMatches) => number): number =>
    matches.reduce((total, word, index) => total + (weights[index] ?? 0) * valueOf(word), 0);
  const covered = sum(({ total }) => (total > 0 ? 1 : 0));
  if (covered === 0) return { page, score: 0, sections: [] };

  const sections = page.sections
    .map((section, index) => {
      const isComplete = matches.every(({ title, sections: counts }) => {
        const { heading = 0, text = 0 } = counts[index] ?? {};
        return title + heading + text > 0;
      });
      const words = sum(({ sections: counts }) => {
        const { heading = 0, text = 0 } = counts[index] ?? {};
        return saturate(heading * fieldWeights.heading + text, 0.5);
      });
      const inHeading = sum(({ sections: counts }) => ((counts[index]?.heading ?? 0) > 0 ? 1 : 0));
      const named = best * nameMatch(section.heading, context);
      return { section, score: words + inHeading * 0.5 + named + (isComplete ? words * 0.5 : 0) };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);

  const inPage = sum(({ title, terms, sections: counts }) => {
    const inSections = counts.reduce((total, { heading, text }) => total + heading * fieldWeights.heading + text, 0);
    return saturate(title * fieldWeights.title + terms * fieldWeights.terms + inSections, relativeLength);
  });
  const inTitle = sum(({ title, terms }) => (title > 0 ? 1 : terms > 0 ? 0.8 : 0));
  const named = best * nameMatch(page.title, context);
  const coverage = (covered / best) ** 2;
  // The name of an export is searched for its reference.
  const weight = context.isName && page.path.startsWith("reference/") ? 1 : page.weight;
  return { page, score: (inPage + inTitle + named + (sections[0]?.score ?? 0)) * coverage * weight, sections };
}

/** Returns 1 for a title or heading that is the phrase, and less for a name that ends with it: `Web.Csrf.find` for `find`. */
function nameMatch(name: string, { phrase, isName: isNameQuery }: ScoreContext): number {
  const folded = name.toLowerCase().replace("()", "");
  if (folded === phrase) return 1;
  return folded.endsWith(`.${phrase}`) ? (isNameQuery ? 1 : 0.5) : 0;
}

function toResult({ page, sections }: ScoredPage, words: readonly Word[]): SearchResult {
  const shown = sections.filter(({ section, score }) => section.id !== "" && score > (sections[0]?.score ?? 0) / 2);
  return {
    path: page.path,
    title: page.title,
    group: page.group,
    excerpt: excerptOf((sections[0]?.section ?? page.sections[0])?.text ?? "", words),
    sections: shown.slice(0, maxSections).map(({ section: { id, heading, text } }) => ({
      title: heading,
      path: `${page.path}#${encodeURIComponent(id)}`,
      excerpt: excerptOf(text, words),
    })),
  };
}

/** Returns the text around the first word, escaped, with the words marked. */
function excerptOf(text: string, words: readonly Word[]): string {
  const matches = words.flatMap(({ pattern }) => [...text.matchAll(pattern)]).sort((a, b) => a.index - b.index);
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

/** Returns the words of all pages, and how often each occurs. The parts of a name are words. */
function countWords(pages: readonly SearchPage[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { title, terms, sections } of pages) {
    const texts = [title, terms, ...sections.flatMap(({ heading, text }) => [heading, text])];
    for (const [word] of texts.join(" ").matchAll(/[A-Z]?[a-z]{3,}/g)) {
      const folded = word.toLowerCase();
      counts.set(folded, (counts.get(folded) ?? 0) + 1);
    }
  }
  return counts;
}

/** Returns the most frequent of the words that are closest to a misspelt word; `undefined` if none is close. */
function correct(word: string, vocabulary: ReadonlyMap<string, number>): string | undefined {
  if (!/^[a-z]{5,}$/.test(word)) return undefined;
  let maxDistance = word.length < 8 ? 1 : 2;
  let best: string | undefined;
  for (const [candidate, occurrences] of vocabulary) {
    if (Math.abs(candidate.length - word.length) > maxDistance) continue;
    const distance = editDistance(word, candidate, maxDistance);
    if (distance > maxDistance) continue;
    if (best !== undefined && distance === maxDistance && occurrences <= (vocabulary.get(best) ?? 0)) continue;
    best = candidate;
    maxDistance = distance;
  }
  return best;
}

/** Returns the number of insertions, deletions, replacements and swaps that turn a word into another; or more than `limit`. */
function editDistance(from: string, to: string, limit: number): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isEqual = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isEqual ? 0 : 1),
      );
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwap) cost = Math.min(cost, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    if (Math.min(...current) > limit) return limit + 1;
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length] ?? limit + 1;
}

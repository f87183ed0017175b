// Search of the site. MiniSearch ranks the sections of all pages. The build bundles it with this file for the browser.
import MiniSearch, { type AsPlainObject, type Options, type SearchResult as Match } from "minisearch";
import type { SearchPage, SearchSection } from "../src/cli/docs/search-index.ts";
import type { SearchIndex, SearchResult, SearchResults } from "./search-results.ts";

/** Section that matches a query. */
interface SectionMatch extends Match {
  readonly page: SearchPage;
  readonly section: SearchSection;
}

const maxWords = 10;
const maxResults = 8;
const maxSections = 2;
const excerptLength = 150;
/** Pages with less than this part of the best score do not match: they contain one common word of several. */
const minScore = 0.1;
/** Weight of a section in the score of its page, relative to the next better one. */
const nextSectionWeight = 0.4;
/** Weights of a match in a field, and of a longer word that begins with a term of the query. */
const fieldWeights = { title: 4, terms: 8, heading: 1.5, text: 1 };
const prefixWeight = 0.5;
/** Parameters of BM25+: the defaults of MiniSearch, with less influence of the length. */
const bm25 = { k: 1.2, b: 0.3, d: 0.5 };

/** Words that say nothing about the subject of a question. */
const stopWords = new Set(
  "a an and are at be by can do does for from how i if in is it my of on or should that the there this to use using was what when where which why with".split(
    " ",
  ),
);

/** Matches a word, or a name with its dots. */
const wordPattern = /([\p{L}\p{N}_$]+(?:\.[\p{L}\p{N}_$]+)*)/gu;
const wordsOf = (text: string): string[] => text.match(wordPattern) ?? [];

/** Options of the index. It contains the sections and, for corrections, a document with the field `word` for each word. */
const options: Options = {
  fields: [...Object.keys(fieldWeights), "word"],
  storeFields: ["count"],
  tokenize: wordsOf,
  processTerm: (word, field) => {
    if (field === "text" && stopWords.has(word)) return null;
    return field === "word" ? word : termsOf(word);
  },
  searchOptions: { tokenize: (query) => query.split(" "), processTerm: (term) => term, bm25 },
};

const sectionsOf = (pages: readonly SearchPage[]): { readonly page: SearchPage; readonly section: SearchSection }[] =>
  pages.flatMap((page) => page.sections.map((section) => ({ page, section })));

/** Returns the index of pages. */
export function createIndex(pages: readonly SearchPage[]): SearchIndex {
  const index = new MiniSearch(options);
  index.addAll(sectionsOf(pages).map(({ page, section }, id) => ({ ...page, ...section, id })));
  const words = JSON.stringify(pages).match(/[A-Z]?[a-z]{3,}/g) ?? [];
  const groups = Map.groupBy(words, (word) => word.toLowerCase());
  index.addAll([...groups].map(([word, { length: count }]) => ({ id: word, word, count })));
  return { pages, index: index.toJSON() };
}

/** Returns a function that searches pages for a text. */
export function createSearch({ pages, index: json }: SearchIndex): (query: string) => SearchResults {
  const sections = sectionsOf(pages);
  const index = MiniSearch.loadJS(json as AsPlainObject, options);

  /** Returns the sections with one of the terms, best first. */
  const findSections = (terms: readonly string[]): SectionMatch[] => {
    const matches = index.search(terms.join(" "), {
      boost: fieldWeights,
      fields: Object.keys(fieldWeights),
      boostDocument: (id: number) => sections[id]?.page.weight ?? 0,
      prefix: (term) => term.length > 2,
      weights: { prefix: prefixWeight, fuzzy: 0 },
    });
    return matches.map((match) => ({ ...match, ...sections[match.id as number]! }));
  };

  /** Returns the closest word of the pages. Of words at the same distance, it is the most frequent one. */
  const correct = (word: string): string | undefined =>
    index.search(word.toLowerCase(), {
      fields: ["word"],
      fuzzy: word.length < 6 ? 1 : 2,
      boostDocument: (_id, _term, stored) => 1 + Math.log10(Number(stored?.count)) / 10,
    })[0]?.id as string | undefined;

  /** Returns the terms of a word. If no page contains it, they are those of its parts, or of the closest word. */
  const resolve = (word: string): { word: string; terms: string[] } => {
    const [term = word, ...parts] = termsOf(word);
    if (findSections([term]).length > 0) return { word, terms: [term] };
    if (parts.length > 0) return { word, terms: parts };
    const closest = (/^[A-Za-z]{4,}$/.test(word) ? correct(word) : undefined) ?? word;
    return { word: closest, terms: termsOf(closest) };
  };

  return (query) => {
    const words = parseQuery(query);
    const resolved = words.map(resolve);
    const terms = [...new Set(resolved.flatMap((word) => word.terms))];
    const all = [...Map.groupBy(findSections(terms), ({ page }) => page).values()]
      .map((matches) => ({ matches, score: scorePage(matches, terms.length) }))
      .sort((a, b) => b.score - a.score);
    const shown = all.filter(({ score }) => score > (all[0]?.score ?? 0) * minScore);
    const isCorrected = resolved.some(({ word }, position) => word !== words[position]);
    return {
      total: shown.length,
      results: shown.slice(0, maxResults).flatMap(({ matches }) => toResult(matches)),
      correctedQuery: isCorrected ? resolved.map(({ word }) => word).join(" ") : undefined,
    };
  };
}

function parseQuery(query: string): string[] {
  const all = [...new Set(wordsOf(query))];
  const subject = all.filter((word) => !stopWords.has(word.toLowerCase()));
  return (subject.length === 0 ? all : subject).slice(0, maxWords);
}

const knownTerms = new Map<string, string[]>();

/** Returns the stem of a word, so that `cookies` finds `cookie`, and of the parts of a name: `file` finds `UploadedFile`. */
function termsOf(word: string): string[] {
  let terms = knownTerms.get(word);
  if (terms === undefined) {
    const ends = [...word.matchAll(/\./g)].map(({ index }) => word.slice(index + 1));
    const parts = word.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]{2,}|\d{2,}/g) ?? [];
    const ending = /^([a-z]{4,}?)(?:ions?|ings?|ies|ied|ed|es|s|e|y)$/;
    terms = [...new Set([word, ...ends, ...parts].map((part) => part.toLowerCase().replace(ending, "$1")))];
    knownTerms.set(word, terms);
  }
  return terms;
}

/** Scores a page by its sections, best first. Without some of the terms it has less than its share. */
function scorePage(sections: readonly SectionMatch[], termCount: number): number {
  const coverage = new Set(sections.flatMap(({ queryTerms }) => queryTerms)).size / termCount;
  return sections.reduce((sum, { score }, position) => sum + score * nextSectionWeight ** position, 0) * coverage ** 2;
}

function toResult(sections: readonly SectionMatch[]): SearchResult[] {
  const [best] = sections;
  if (best === undefined) return [];
  const { path, title, group } = best.page;
  const shown = sections.filter(({ section, score }) => section.id !== "" && score > best.score / 2);
  const subsections = shown.slice(0, maxSections).map((match) => ({
    title: match.section.heading,
    path: `${path}#${encodeURIComponent(match.section.id)}`,
    excerpt: excerptOf(match),
  }));
  return [{ path, title, group, excerpt: excerptOf(best), sections: subsections }];
}

/** Returns the text around the first word, escaped, with the words marked. */
function excerptOf({ section: { text }, terms }: SectionMatch): string {
  const isMatch = (word: string): boolean => termsOf(word).some((term) => terms.includes(term));
  const first = [...text.matchAll(wordPattern)].find(([word]) => isMatch(word))?.index ?? 0;
  const start = first < excerptLength / 3 ? 0 : text.indexOf(" ", first - excerptLength / 3) + 1;
  const end = text.length <= start + excerptLength ? text.length : text.lastIndexOf(" ", start + excerptLength);
  const parts = text.slice(start, Math.max(start, end)).split(wordPattern);
  // With its group, the pattern is at the odd indexes.
  const html = parts.map((part, index) =>
    index % 2 === 1 && isMatch(part) ? `<mark>${part}</mark>` : escapeText(part),
  );
  return `${start === 0 ? "" : "… "}${html.join("")}${end === text.length ? "" : " …"}`;
}

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

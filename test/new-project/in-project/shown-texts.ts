// What visitors of a language see of a generated project, and which texts of it are in another language.
import assert from "node:assert/strict";
import { de as frameworkGerman } from "limmat/language/de";
import { en as frameworkEnglish } from "limmat/language/en";
import { fr as frameworkFrench } from "limmat/language/fr";
import { type Page, type Visitor, visitor } from "limmat/testing";
import { de } from "../language/de.ts";
import { en } from "../language/en.ts";
import { fr } from "../language/fr.ts";
import { ja } from "../language/ja.ts";
import { app } from "../run/run.ts";

/** What is shown to a visitor or a recipient, by request or subject. */
export type Contents = readonly (readonly [place: string, content: string])[];

/** Returns the literal parts of all texts of a catalogue by path: those between placeholders. */
export function partsOf(catalogue: object, group = ""): (readonly [path: string, part: string])[] {
  return Object.entries(catalogue).flatMap(([key, entry]: [string, unknown]) => {
    const path = `${group}${key}`;
    if (typeof entry === "object" && entry !== null) return partsOf(entry, `${path}.`);
    const parts = typeof entry === "function" ? partsOfResult(entry as Write) : String(entry).split(/\{[^}]*\}/);
    return parts
      .map((part) => [path, part.trim().replace(/^[^\p{L}]+/u, "")] as const)
      .filter(([, part]) => part.length > 3);
  });
}

type Write = (...values: unknown[]) => unknown;

/** Returns the literal parts of the result of a function, called with marks as its values. */
function partsOfResult(write: Write): readonly string[] {
  try {
    const result = write("§", "§", "§");
    const texts = typeof result === "object" && result !== null ? partsOf(result).map(([, part]) => part) : [result];
    return texts.flatMap((text) => (typeof text === "string" ? text.split(/§|undefined|NaN/) : []));
  } catch {
    return [];
  }
}

/** Returns a text as a part of a regular expression. */
export const escaped = (part: string): string => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Returns a pattern that finds a part of a text, as words. */
const words = (part: string): RegExp => new RegExp(`(?<![\\p{L}@.])${escaped(part)}(?![\\p{L}@])`, "u");

/** What is the same in all languages: names, addresses, keys of the protocol, and values of the factories. */
const untranslated = [
  /https?:\S+|localhost:3000/g,
  /\S+@\S+/g,
  /\b[\da-f]{8}-[\da-f-]{27}\b|\b(?:[\da-f]{8}){1,2}\b/g,
  /\b(?:shop-languages|limmat|Firefox|Windows|UTC|GIF89a)\b/g,
  /\bFirst [a-z]+(?: [\da-f]{16})?\b/g,
  // Keys and values of an address, names of fields, columns, methods, media types and files.
  /(?:„|«\u00a0)[a-z]+(?:“|\u00a0»)|: [a-z_]+(?:, [a-z_]+)*(?=\.)|\b(?:live|ready)\b/g,
  /\b(?:GET|HEAD|POST|OPTIONS|PROPFIND)\b|\b(?:text|application)\/[\w-]+(?:; charset=utf-8)?|χ\.txt/g,
  // Hint for programmers, in development and tests only.
  /The check refused the request because[^\n]*/g,
];

/** Returns the texts that a browser shows or a screen reader reads; of JSON, the values that are sentences. */
export function visibleTexts(body: string): string {
  const names = "aria-label|title|placeholder|alt|label|data-label|summary|aria-description";
  const attributes = [...body.matchAll(new RegExp(` (?:${names})="([^"]*)"`, "g"))].map(([, value]) => value);
  const isPage = body.startsWith("<");
  const values = isPage ? [] : [...body.matchAll(/(?<!"(?:type|instance|code)":)(?<=[:[,])"((?:[^"\\]|\\.)*)"(?!:)/g)];
  const content = body
    .replaceAll(/<(script|style|code)\b[^>]*>[^]*?<\/\1>/g, "")
    .replaceAll(/<a [^>]*hreflang[^]*?<\/a>/g, "")
    .replaceAll(/<[^>]*>/g, "\n");
  const shown = body.startsWith("{") ? values.map(([, value]) => value).join("\n") : content;
  return [shown, ...attributes]
    .join("\n")
    .replaceAll(/&#39;|&#x27;/g, "'")
    .replaceAll(/&(?:quot|lt|gt|amp);/g, " ");
}

/** Returns the texts of a page that a translator writes. */
const translatedTexts = (body: string): string =>
  untranslated.reduce((rest, pattern) => rest.replaceAll(pattern, ""), visibleTexts(body));

/** Returns a function that finds the parts of English texts that no text of the language contains. */
function finder(...catalogues: readonly object[]): (content: string) => readonly string[] {
  const translated = catalogues.flatMap((catalogue) => partsOf(catalogue).map(([, part]) => part)).join("\n");
  const english = [en, frameworkEnglish].flatMap((catalogue) => partsOf(catalogue).map(([, part]) => part));
  const patterns = [...new Set(english)]
    .map((part) => [part, words(part)] as const)
    .filter(([, pattern]) => !pattern.test(translated));
  assert.ok(patterns.length > 350, String(patterns.length));
  return (content) => {
    const shown = translatedTexts(content);
    return patterns.filter(([, pattern]) => pattern.test(shown)).map(([part]) => part);
  };
}

/** Returns the texts of a page in the pseudo-language that are in no catalogue: all others are in full-width letters. */
const textsOutsideCatalogues = (content: string): readonly string[] =>
  translatedTexts(content).match(/.*[A-Za-z]{2,}.*/g) ?? [];

/** Languages of the project, each with its catalogue and a function that finds texts of other languages. */
export const languages = [
  ["de", de, finder(de, frameworkGerman)],
  ["fr", fr, finder(fr, frameworkFrench)],
  ["ja", ja, textsOutsideCatalogues],
] as const;

/** Returns the texts of another language, by place. */
export const foreignTexts = (contents: Contents, find: (content: string) => readonly string[]): readonly string[] =>
  contents.flatMap(([place, content]) => find(content).map((text) => `${place}: ${text.trim()}`));

/** Visitor whose browser prefers a language. It follows only redirects. */
export interface Guest extends Visitor {
  /** Pages that the visitor has got, by method and path. */
  readonly pages: (readonly [request: string, page: Page])[];
  /** Sends a request that no form sends. */
  readonly send: (path: string, init: RequestInit) => Promise<void>;
}

/** Makes a visitor whose browser prefers a language. */
export function guest(preferred: string): Guest {
  const pages: (readonly [string, Page])[] = [];
  const request = async (path: string, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    headers.set("accept-language", preferred);
    headers.set("user-agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0");
    return app.request(path, { ...init, headers });
  };
  const device = visitor({ request });
  const keep = async (method: string, path: string, page: Promise<Page>): Promise<Page> => {
    pages.push([`${method} ${path}`, await page]);
    return page;
  };
  return {
    pages,
    send: async (path, init) => {
      const response = await request(path, init);
      const page = {
        status: response.status,
        headers: response.headers,
        body: await response.text(),
        location: undefined,
      };
      pages.push([`${init.method ?? "GET"} ${path}`, page]);
    },
    get: (path) => keep("GET", path, device.get(path)),
    post: (path, fields) => keep("POST", path, device.post(path, fields)),
    put: (path, fields) => keep("PUT", path, device.put(path, fields)),
    patch: (path, fields) => keep("PATCH", path, device.patch(path, fields)),
    delete: (path, fields) => keep("DELETE", path, device.delete(path, fields)),
    follow: async (page) => (page.location === undefined ? page : keep("GET", page.location, device.follow(page))),
    get cookies() {
      return device.cookies;
    },
  };
}

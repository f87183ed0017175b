import { readdirSync } from "node:fs";
import { join } from "node:path";
import { lazy } from "../core/index.ts";
import { type GeneratedFile, readPackageFile, type StubValues } from "../project/index.ts";
import { type Code, objectCode, printCode, stringLiteral } from "./print.ts";
import type { Name } from "./name.ts";
import type { FileEdit } from "./wire.ts";

/** A text in English, German and French. Other languages begin with the English text. */
export type Translations = readonly [en: string, ...deAndFr: string[]];

/** Texts of generated code, by group and path. Words of a model are in single braces: `{words}`. */
export const knownTexts: () => Readonly<Record<string, Readonly<Record<string, Translations>>>> = lazy(() =>
  JSON.parse(readPackageFile("stubs/language/texts.json.stub")),
);

/** Texts of generated code: a group of the catalogues of a project, or literals in a project without. */
export interface TextGroup {
  readonly name: string;
  readonly isTranslated: boolean;
  /** Values of stubs: each text as an expression (`{{text.gone}}`), and as part of a template (`{{html.gone}}`). */
  readonly values: StubValues;
  /** Returns the expression of a text, as TypeScript: a text of the catalogue, or a literal. `part` is its name in a group of its own. */
  readonly code: (key: string, words?: Words, part?: string) => string;
  /** Returns the part of an HTML template that shows a text. */
  readonly html: (key: string) => string;
  /** Adds a text, or replaces it. */
  readonly add: (path: string, ...translations: Translations) => void;
  readonly entries: ReadonlyMap<string, Translations>;
}

type Words = Readonly<Record<string, string>>;

/** Texts that code reads as a whole: `texts: text.todo`. */
const wholeTexts = /^(?:one|many|title|fields|choices|links)\b/;

/** Returns the texts of a kind: those of the framework's table, filled with the words of a model. */
export function textGroup(kind: string, name: string, isTranslated: boolean, words: Words = {}): TextGroup {
  const entries = new Map(Object.entries(knownTexts()[kind] ?? {}));
  // The groups of the layout and of other shared views have fixed names.
  const group = name !== kind && name in knownTexts() ? `${name}Texts` : name;
  const fill = (text: string, given: Words): string =>
    text.replaceAll(/\{(\w+)\}/g, (_, word: string) => given[word] ?? words[word] ?? "");
  const code = (key: string, given: Words = {}, part?: string): string => {
    const path = part === undefined ? key : `${key}.${part}`;
    const [en = "", ...others] = (entries.get(key) ?? []).map((text) => fill(text, given));
    if (part !== undefined) entries.set(path, [en, ...others]);
    const names = [...en.matchAll(/\{\$(\w+)\}/g)].map(([, value]) => value);
    if (isTranslated) return `text.${group}.${path}${names.length > 0 ? `({ ${names.join(", ")} })` : ""}`;
    return names.length > 0 ? `\`${en.replaceAll("{$", "${")}\`` : stringLiteral(en);
  };
  const html = (key: string): string => (isTranslated ? `\${${code(key)}}` : code(key).slice(1, -1));
  const keys = [...entries.keys()];
  for (const [key, [en, ...others]] of entries) {
    // The words of a field are filled in later.
    if (!/\{(?:field|target)\}/.test(en)) entries.set(key, [fill(en, {}), ...others]);
  }
  return {
    name: group,
    isTranslated,
    values: {
      isTranslated,
      texts: isTranslated ? `text.${group}` : "",
      ...Object.fromEntries(
        keys.flatMap((key) => [
          [`text.${key}`, code(key)],
          [`html.${key}`, html(key)],
        ]),
      ),
    },
    code,
    html,
    add: (path, ...translations) => void entries.set(path, translations),
    entries,
  };
}

/** Returns the languages of a project: those with a catalogue in the folder `language`, in alphabetical order. */
export function languagesOf(root: string): readonly string[] {
  try {
    const names = readdirSync(join(root, "language")).map((file) => /^([A-Za-z]{2,8}(?:-\w+)*)\.ts$/.exec(file)?.[1]);
    return names.filter((name) => name !== undefined && name !== "language").sort(compareTexts) as string[];
  } catch {
    return [];
  }
}

/** Compares texts by their characters. `toSorted` needs Node 20, and a new project is created on Node 18, too. */
export const compareTexts = (a = "", b = ""): number => (a < b ? -1 : 1);

/** Returns the index of the translations for a language. */
export const translationIndex = (language: string): number =>
  Math.max(0, ["en", "de", "fr"].indexOf(language.split("-")[0] ?? ""));

/** Returns the edits that add groups of texts to the catalogues: the texts that the files use, and those of whole groups. */
export function catalogueEdits(
  root: string,
  groups: readonly TextGroup[],
  files: readonly GeneratedFile[],
): readonly FileEdit[] {
  const code = files.map(({ text }) => text).join("\n");
  return languagesOf(root).flatMap((language) =>
    groups.flatMap((group): readonly FileEdit[] => {
      const isUsed = (path: string): boolean =>
        wholeTexts.test(path) ||
        new RegExp(`\\btext\\.${group.name}\\.${path.replaceAll(".", "\\.")}\\b(?!\\.)`).test(code);
      const texts = [...group.entries]
        .filter(([path]) => isUsed(path))
        .sort(([a], [b]) => Number(wholeTexts.test(b)) - Number(wholeTexts.test(a)))
        .map(([path, translations]) => [path, translations[translationIndex(language)] ?? translations[0]] as const);
      if (!group.isTranslated || texts.length === 0) return [];
      const lines = printGroup(group.name, texts, 2);
      return [
        {
          path: `language/${language}.ts`,
          apply: (text) => {
            if (text.includes(`\n  ${group.name}: {`)) return text;
            const end = text.lastIndexOf("\n} as const satisfies Language.");
            return end === -1 ? undefined : `${text.slice(0, end)}\n  ${lines}${text.slice(end)}`;
          },
          snippet: lines,
        },
      ];
    }),
  );
}

/** Prints a group of texts, with one text per line. Its first line has no indentation. */
export function printGroup(
  name: string,
  texts: readonly (readonly [path: string, text: string])[],
  indent: number,
): string {
  const margin = " ".repeat(indent + 2);
  const groups = new Map<string, (readonly [string, string])[]>();
  const lines = new Map<string, string>();
  for (const [path, text] of texts) {
    const [, key = path, rest] = /^([^.]+)\.(.*)$/.exec(path) ?? [];
    if (rest === undefined) {
      lines.set(key, printCode({ start: `${keyName(key)}:`, body: stringLiteral(text) }, indent + 2, ","));
      continue;
    }
    const group = [...(groups.get(key) ?? []), ...(rest === "" ? [] : [[rest, text] as const])];
    groups.set(key, group);
    lines.set(key, group.length === 0 ? `${keyName(key)}: {},` : printGroup(key, group, indent + 2));
  }
  return [`${keyName(name)}: {`, ...[...lines.values()].map((line) => margin + line), `${" ".repeat(indent)}},`].join(
    "\n",
  );
}

const keyName = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : stringLiteral(key));

/** Prints the texts of a resource in a project without a catalogue: the words, and labels that the names of the fields do not say. */
export function literalTexts(one: string, many: string, labels: Words): Code {
  const fields = Object.entries(labels).map(([name, label]) => `${name}: ${stringLiteral(label)}`);
  return objectCode(
    [
      `one: ${stringLiteral(one)}`,
      `many: ${stringLiteral(many)}`,
      ...(fields.length === 0 ? [] : [objectCode(fields, "fields: ")]),
    ],
    "texts: ",
  );
}

/** Import of the texts in a module of `web/view`. */
export const textImport = 'import { text } from "../../language/language.ts";';

/** Returns the edits of the catalogues that add the text of a link to the group of a model. */
export const catalogueLinkEdits = (root: string, group: string, { kebab, title }: Name): readonly FileEdit[] =>
  languagesOf(root).map((language) => {
    const link = `${keyName(kebab)}: ${stringLiteral(title)},`;
    const links = new RegExp(`(\\n {2}${group}: \\{\\n(?: {4}.*\\n)*? {4}links: \\{)(?:\\n((?: {6}.*\\n)*) {4})?\\},`);
    return {
      path: `language/${language}.ts`,
      apply: (text) => {
        const [, before, present = ""] = links.exec(text) ?? [];
        if (before === undefined) return undefined;
        return present.includes(link) ? text : text.replace(links, `$1\n${present}      ${link}\n    },`);
      },
      snippet: `${group}: { links: { ${link.slice(0, -1)} } },`,
    };
  });

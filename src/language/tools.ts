import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, messageOf } from "../core/index.ts";
import { errors } from "./errors.ts";
import { type CompiledText, placeholdersOf } from "./template.ts";
import type { Catalogue } from "./types.ts";

/** Texts of an application, and how they are compiled. */
export interface TextSources {
  readonly base: string;
  readonly catalogues: Readonly<Record<string, Catalogue>>;
  readonly compile: (text: string, language: string, path: string) => CompiledText;
}

/** Entry of the JSON file of a translator: a text, or one beside that of the base language. */
type ExportedText = string | { readonly base?: string; readonly text?: unknown };

function translatedText(entry: ExportedText | undefined): string {
  const text = typeof entry === "object" ? entry.text : entry;
  return typeof text === "string" ? text : "";
}

/**
 * Prints what is wrong with the texts of an application, and notes what may be.
 *
 * @throws E_LANGUAGE_CHECK
 */
export function check(sources: TextSources, root: string, output: Command.Output): void {
  const base = textsOf(sources.catalogues[sources.base]);
  const problems: string[] = [];
  for (const [language, catalogue] of Object.entries(sources.catalogues)) {
    const texts = textsOf(catalogue);
    for (const [path, text] of texts) {
      problems.push(
        ...problemsOf(sources, language, path, text, base.get(path)).map((problem) => `${language}: ${problem}`),
      );
      if (language !== sources.base && text === base.get(path) && /\p{L}{4}/u.test(text)) {
        output.note(`${language}: ${path} is the same as in ${sources.base}.`);
      }
    }
    const missing = [...base.keys()].filter((path) => !texts.has(path));
    problems.push(...missing.map((path) => `${language}: ${path} is missing.`));
  }
  const code = sourcesOf(root);
  for (const path of base.keys()) {
    if (!isUsed(path, code)) output.note(`${path} seems to be unused.`);
  }
  for (const problem of problems) output.print(problem);
  if (problems.length > 0) throw errors.E_LANGUAGE_CHECK(problems.length);
  output.print(`${base.size} texts in ${Object.keys(sources.catalogues).length} languages.`);
}

/** Returns the problems of a text, which should have the placeholders of the base text. */
function problemsOf(
  { compile }: TextSources,
  language: string,
  path: string,
  text: string,
  baseText: string | undefined,
): readonly string[] {
  if (baseText === undefined) return [`${path} is unknown.`];
  try {
    compile(text, language, path);
  } catch (failure) {
    return [messageOf(failure)];
  }
  const [names, baseNames] = [placeholdersOf(text), placeholdersOf(baseText)];
  const unknown = [...names.difference(baseNames)].map((name) => `${path} has the unknown placeholder ${name}.`);
  const missing = [...baseNames.difference(names)].map((name) => `${path} lacks the placeholder ${name}.`);
  return [...unknown, ...missing];
}

/** Returns the texts of a catalogue by path, without functions. */
function textsOf(catalogue: Catalogue | undefined, prefix = ""): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [key, entry] of Object.entries(catalogue ?? {})) {
    if (typeof entry === "string") texts.set(prefix + key, entry);
    else if (typeof entry === "object")
      for (const [path, text] of textsOf(entry, `${prefix}${key}.`)) texts.set(path, text);
  }
  return texts;
}

/** Returns the sources of an application that may use texts. */
function sourcesOf(root: string): string {
  const exclude = (path: string): boolean => /(?:^|[\\/])(?:node_modules|dist|language)$/.test(path);
  return globSync("**/*.{ts,tsx,mts,js,mjs}", { cwd: root, exclude })
    .map((path) => readFileSync(join(root, path), "utf8"))
    .join("\n");
}

/**
 * Returns true if sources contain the last two names of a path, as in `text.cart.title` and `cart.title`, or pass its group: `text.cart`.
 */
const isUsed = (path: string, code: string): boolean =>
  code.includes(`.${path}`) ||
  code.includes(path.split(".").slice(-2).join(".")) ||
  new RegExp(`\\btext\\.${path.split(".")[0]}(?![\\w.])`).test(code);

/** Returns the texts of a language as JSON, by path, each beside that of the base language. */
export function exportTexts({ base, catalogues }: TextSources, language: string): string {
  const texts = textsOf(catalogues[language]);
  const entries = Array.from(textsOf(catalogues[base]), ([path, text]) => [
    path,
    { base: text, text: texts.get(path) ?? "" },
  ]);
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

/**
 * Writes the catalogue of a language from the JSON file of a translator. A text that is empty is left out of a new language.
 *
 * @throws E_LANGUAGE_CHECK
 */
export function importTexts(
  sources: TextSources,
  language: string,
  file: string,
  root: string,
  output: Command.Output,
): void {
  const imported = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, ExportedText>>;
  const base = textsOf(sources.catalogues[sources.base]);
  const texts = new Map(Object.entries(imported).map(([path, entry]) => [path, translatedText(entry)]));
  const problems = Array.from(base.keys())
    .filter((path) => (texts.get(path) ?? "") === "")
    .map((path) => `${path} is not translated.`);
  for (const [path, text] of texts)
    if (text !== "") problems.push(...problemsOf(sources, language, path, text, base.get(path)));
  problems.push(
    ...functionsOf(sources.catalogues[sources.base]).map(
      (path) => `${path} is a function: write ${language}.ts by hand.`,
    ),
  );
  for (const problem of problems) output.print(problem);
  if (problems.length > 0) throw errors.E_LANGUAGE_CHECK(problems.length);
  const [name, baseName] = [language, sources.base].map((tag) =>
    tag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
  );
  const path = `language/${language}.ts`;
  const content = formatGroup(sources.catalogues[sources.base] ?? {}, texts, "", "  ");
  mkdirSync(join(root, "language"), { recursive: true });
  writeFileSync(
    join(root, path),
    `import type { Language } from "limmat";\nimport type { ${baseName} } from "./${sources.base}.ts";\n\nexport const ${name} = ${content} as const satisfies Language.Translation<typeof ${baseName}>;\n`,
  );
  output.print(`Wrote ${path}.`);
  if (sources.catalogues[language] === undefined) output.note(`Add ${name} to Language.make.`);
}

/** Returns the paths of the texts that are functions. */
const functionsOf = (catalogue: Catalogue | undefined, prefix = ""): readonly string[] =>
  Object.entries(catalogue ?? {}).flatMap(([key, entry]) => {
    if (typeof entry === "function") return [prefix + key];
    return typeof entry === "object" ? functionsOf(entry, `${prefix}${key}.`) : [];
  });

/** Formats a group of texts as TypeScript, in the order of the base language. */
function formatGroup(group: Catalogue, texts: ReadonlyMap<string, string>, prefix: string, indent: string): string {
  const lines = Object.entries(group).map(([key, entry]) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    const value =
      typeof entry === "object"
        ? formatGroup(entry, texts, `${prefix}${key}.`, `${indent}  `)
        : JSON.stringify(texts.get(prefix + key));
    return `${indent}${name}: ${value},\n`;
  });
  return `{\n${lines.join("")}${indent.slice(2)}}`;
}

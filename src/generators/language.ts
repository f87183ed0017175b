import { errors, projectRoot, readProjectFile } from "../project/index.ts";
import type { Command } from "../core/index.ts";
import { addItems, addToHttpService } from "./add-items.ts";
import { generate, type GenerationPlan, parseArguments } from "./generate.ts";
import { objectCode, printCode, stringLiteral } from "./print.ts";
import { compareTexts, knownTexts, languagesOf, printGroup, textImport, translationIndex } from "./texts.ts";
import type { FileEdit } from "./wire.ts";

/** Runs the command `gen.language`. */
export function genLanguage(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire"]);
  if (positionals.length === 0) return undefined;
  const root = projectRoot();
  const plan = planLanguages(root, parseLanguages(positionals));
  return generate(root, { ...plan, nextSteps: ["npm run app language.check", "npm test"] }, flags, output);
}

/** Languages of the texts of limmat. */
const frameworkLanguages = ["de", "fr"];

/**
 * Parses language tags (BCP 47), without the base language and without duplicates.
 *
 * @throws E_GENERATE_NAME
 */
export function parseLanguages(tags: readonly string[]): readonly string[] {
  const parsed = tags.map((tag) => {
    const isTag = /^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i.test(tag) && !/^(?:do|for|if|in|let|new|try|var)$/i.test(tag);
    if (isTag) return Intl.getCanonicalLocales(tag)[0] ?? tag;
    throw errors.E_GENERATE_NAME("a language", tag, 'write tags such as "de", "fr" or "de-CH".');
  });
  return [...new Set(parsed)].filter((tag) => tag !== "en");
}

const constantName = (tag: string): string => tag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Plans the catalogues of languages, and the edits by which a project speaks them. */
export function planLanguages(root: string, languages: readonly string[]): GenerationPlan {
  const present = languagesOf(root);
  const added = languages.filter((tag) => !present.includes(tag));
  const isFirst = present.length === 0;
  const english = readProjectFile(root, "language/en.ts") ?? printEnglish(root);
  const all = isFirst ? ["en", ...added] : added;
  const catalogues = all.map((tag) => ({ path: `language/${tag}.ts`, text: translate(english, tag) }));
  const untranslated = added.filter((tag) => translationIndex(tag) === 0);
  return {
    files: [...catalogues, ...(isFirst ? [{ path: "language/language.ts", text: printLanguages(added) }] : [])],
    edits: isFirst ? firstEdits(root) : added.map(languageEdit),
    remarks: untranslated.map(
      (tag) =>
        `limmat has no texts in ${tag}: language/${tag}.ts begins with the English ones, and pages of limmat stay English.`,
    ),
  };
}

/** Views of a new project with their group of texts. */
const views = [
  ["web/view/layout.ts", "layout"],
  ["web/view/welcome.ts", "welcome"],
  ["web/view/account-menu.ts", "accountMenu"],
] as const;

/** Prints the English catalogue: the texts that the views of the project contain. */
function printEnglish(root: string): string {
  const groups = views.flatMap(([path, group]) => {
    const code = readProjectFile(root, path) ?? "";
    const texts = Object.entries(knownTexts()[group] ?? {})
      .map(([key, [text]]) => [key, text] as const)
      .filter(([, text]) => replaceText(code, text, "") !== code);
    return texts.length === 0 ? [] : [`  ${printGroup(group, texts, 2)}\n`];
  });
  return `import type { Language } from "limmat";\n\nexport const en = {\n${groups.join("")}} as const satisfies Language.Catalogue;\n`;
}

/** Returns the catalogue of a language: the English one, with the translations that limmat has. */
function translate(english: string, tag: string): string {
  if (tag === "en") return english;
  const index = translationIndex(tag);
  const pairs = Object.values(knownTexts()).flatMap((group) => Object.values(group));
  const translations = new Map(pairs.map((texts) => [stringLiteral(texts[0]), texts[index] ?? texts[0]]));
  return english
    .replace('import type { Language } from "limmat";\n', '$&import type { en } from "./en.ts";\n')
    .replace("export const en =", `export const ${constantName(tag)} =`)
    .replace(/satisfies Language\.Catalogue;/, "satisfies Language.Translation<typeof en>;")
    .replaceAll(
      /^( +)([^\s:]+|"[^"]+"):(?: |\n +)("(?:[^"\\]|\\.)*"),$/gm,
      (_, indent: string, key: string, text: string) => {
        const body = stringLiteral(translations.get(text) ?? JSON.parse(text));
        return indent + printCode({ start: `${key}:`, body }, indent.length, ",");
      },
    );
}

const member = (key: string, value: string): string => (key === value ? key : `${stringLiteral(key)}: ${value}`);

/** Returns the member of the option `framework` for a language, and its import; `undefined` if limmat does not have the language. */
function frameworkTexts(tag: string): readonly [member: string, statement: string] | undefined {
  const language = frameworkLanguages.find((name) => name === tag.split("-")[0]);
  if (language === undefined) return undefined;
  const name = `${language}Framework`;
  return [`${language}: ${name}`, `import { ${language} as ${name} } from "limmat/language/${language}";`];
}

function printLanguages(languages: readonly string[]): string {
  const all = ["en", ...languages];
  const framework = new Map(languages.flatMap((tag) => [frameworkTexts(tag)]).filter((entry) => entry !== undefined));
  const imports = [
    'import { Language } from "limmat";',
    ...framework.values(),
    ...[...all].sort(compareTexts).map((tag) => `import { ${constantName(tag)} } from "./${tag}.ts";`),
  ];
  const catalogues = all.map((tag) => member(tag, constantName(tag))).join(", ");
  const options = framework.size === 0 ? "" : `, { framework: { ${[...framework.keys()].join(", ")} } }`;
  return [
    ...imports,
    "",
    "/** Languages of the application, the base language first. */",
    `export const language = Language.make("en", { ${catalogues} }${options});`,
    "export const { text } = language;",
    "",
  ].join("\n");
}

/** Returns the edit that adds a language to those of a project. */
function languageEdit(tag: string): FileEdit {
  const [texts, statement] = frameworkTexts(tag) ?? [];
  const catalogue = member(tag, constantName(tag));
  return {
    path: "language/language.ts",
    imports: [...(statement === undefined ? [] : [statement]), `import { ${constantName(tag)} } from "./${tag}.ts";`],
    apply: (text) => {
      const list = /(Language\.make\(\s*"[^"]+",\s*\{[^}]*?)(,?\s*\})(,\s*\{)?/.exec(text);
      if (list === null) return undefined;
      const [all, start, end, options] = list;
      const listed = `${start}, ${catalogue}${end}`;
      if (texts === undefined || text.includes(texts)) return text.replace(all, `${listed}${options ?? ""}`);
      if (options === undefined) return text.replace(all, `${listed}, { framework: { ${texts} } }`);
      const added = text.replace(all, `${listed}${options}`);
      return /framework: \{/.test(text)
        ? added.replace("framework: {", `framework: { ${texts},`)
        : added.replace(`${listed}${options}`, `${listed}${options} framework: { ${texts} },`);
    },
    snippet: printCode(objectCode(["/* … */", catalogue], 'Language.make("en", '), 0, ", /* … */);"),
  };
}

/** Replaces a text in code: string literals, and content of HTML templates. */
function replaceText(code: string, text: string, expression: string): string {
  const pattern = text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return code
    .replaceAll(`"${text}"`, () => expression)
    .replaceAll(new RegExp(`(?<=>)${pattern}(?=\\s*<)`, "g"), () => `\${${expression}}`);
}

/** Returns the edits by which a project reads its texts from catalogues. */
function firstEdits(root: string): readonly FileEdit[] {
  const middleware = "Web.Middleware.language(language)";
  const language = 'import { language } from "../language/language.ts";';
  const existing = views.filter(([path]) => readProjectFile(root, path) !== undefined);
  return [
    {
      path: "run/run.ts",
      imports: [language],
      apply: addToHttpService(middleware),
      snippet: `const http = Web.Http.service({ router, middlewares: [/* … */ ${middleware}] });`,
    },
    {
      path: "run/run.ts",
      imports: [language],
      apply: addItems(/^\s+services:/m, "language"),
      snippet: "services: [/* … */ language],",
    },
    ...existing.map(([path, group]): FileEdit => ({
      path,
      imports: group === "layout" ? layoutImports : [textImport],
      apply: (code) => {
        const translated = Object.entries(knownTexts()[group] ?? {}).reduce(
          (edited, [key, [text]]) => replaceText(edited, text, `text.${group}.${key}`),
          code,
        );
        return group === "layout" ? translateLayout(translated) : translated;
      },
      snippet: group === "layout" ? `${htmlTag} … ${menu}` : `text.${group}`,
    })),
  ];
}

const layoutImports = [
  'import { Language } from "limmat";',
  'import { languageMenu } from "./components.ts";',
  textImport,
];
const htmlTag = '<html lang="${Language.current()}" dir="${Language.direction()}">';
const menu = "${languageMenu(request)}";

/** Adds language, direction and menu to the layout, and reads the texts of the navigation late. */
function translateLayout(code: string): string | undefined {
  if (!code.includes('<html lang="en">') || !/^const pages = \[/m.test(code)) return undefined;
  return code
    .replace('<html lang="en">', () => htmlTag)
    .replace(/( *)<\/header>/, (end, indent: string) => `${indent}  ${menu}\n${end}`)
    .replaceAll("navigation(request, pages)", "navigation(request, pages())")
    .replace(/^const pages = (\[[^;]*\]) as const;/m, (_, list: string) =>
      list.includes("\n")
        ? `const pages = () =>\n  ${list.replaceAll("\n", "\n  ")} as const;`
        : `const pages = () => ${list} as const;`,
    );
}

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readPackageFile } from "../gen/stub.ts";
import { formatRecord, parseRecord, type ProjectRecord, recordPath } from "../new/project-record.ts";
import { type ChangelogEntry, parseChangelog, sectionsSince } from "./changelog.ts";
import { checkTypes, findTypeChecker, type TypeProblem } from "./check-types.ts";
import { errors } from "./errors.ts";
import { copyProject, listSources } from "./project-sources.ts";
import { readUtf8File } from "./read-utf8-file.ts";
import type { ExportRename, Finding, KeyRename, PropertyRename, Rename } from "./rename.ts";
import { renameExports } from "./rename-exports.ts";
import { renameKeys } from "./rename-keys.ts";
import { renameProperties } from "./rename-properties.ts";
import { renames } from "./renames.ts";
import { compareTemplate, listOriginals, renderTemplate, type TemplateChange } from "./template-files.ts";
import { compareVersions, isVersion } from "./versions.ts";

/** Changes of a project for the installed version of the framework. */
export interface UpgradePlan {
  /** Version that the project was written for; `undefined` if it is not known. */
  readonly from: string | undefined;
  /** Installed version. */
  readonly to: string;
  /** Entries of the changelog since the old version. */
  readonly changes: readonly ChangelogEntry[];
  readonly template: readonly TemplateChange[];
  /** Reason why the template was not compared. */
  readonly templateNote: string | undefined;
  readonly renamed: readonly Finding[];
  /** Old names that the user has to replace. */
  readonly remaining: readonly Finding[];
  /** Errors of the type checker after the upgrade; `undefined` if it could not run. */
  readonly typeProblems: readonly TypeProblem[] | undefined;
  /** Reason why the type checker has not checked all files. */
  readonly typeFailure: string | undefined;
  /** Texts of the changed files before and after, by path. */
  readonly files: ReadonlyMap<string, { readonly before: string | undefined; readonly text: string }>;
  /** New text of the record; `undefined` if it does not change. */
  readonly record: string | undefined;
}

/** Rounds of the type checker: it reports one unknown property of an object at a time. */
const maxRounds = 12;

const ofKind = <Kind extends Rename["kind"]>(kind: Kind): readonly Extract<Rename, { readonly kind: Kind }>[] =>
  renames.filter((rename): rename is Extract<Rename, { readonly kind: Kind }> => rename.kind === kind);

/**
 * Plans the upgrade of a project. Changes no file of it: the type checker runs on a copy.
 *
 * @throws E_UPGRADE_RECORD if the record of the project is damaged, E_UPGRADE_VERSION if the project is newer than the installed
 *   version, E_UPGRADE_MANIFEST
 */
export function planUpgrade(
  root: string,
  versions: { readonly from: string | undefined; readonly to: string },
): UpgradePlan {
  const record = readRecord(root);
  const from = versions.from ?? record?.version;
  if (from !== undefined && !(isVersion(from) && compareVersions(from, versions.to) <= 0)) {
    throw errors.E_UPGRADE_VERSION(from, versions.to);
  }
  const texts = new ProjectTexts(root);
  const template = record === undefined ? undefined : renderTemplate(root, record);
  const templateChanges = record === undefined || template === undefined ? [] : compareTemplate(root, record, template);
  for (const { path, text } of templateChanges) if (text !== undefined) texts.write(path, text);
  const recordText =
    record === undefined || template === undefined
      ? undefined
      : formatRecord(
          versions.to,
          record.isBare,
          template,
          listOriginals(record, template, (path) => texts.read(path)),
        );
  const { renamed, remaining } = applyExportRenames(texts, ofKind("export"));
  const keyResult = applyKeyRenames(texts, ofKind("key"));
  const { renamed: renamedProperties, typeProblems, typeFailure } = applyPropertyRenames(texts, ofKind("property"));
  return {
    from,
    to: versions.to,
    changes: sectionsSince(parseChangelog(readPackageFile("CHANGELOG.md")), from).flatMap(({ entries }) => entries),
    template: templateChanges,
    templateNote: templateNote(record, template !== undefined),
    renamed: sortFindings([...renamed, ...keyResult, ...renamedProperties]),
    remaining: sortFindings([...remaining, ...texts.unreadable()]),
    typeProblems,
    typeFailure,
    files: texts.changes(),
    record: recordText === undefined || recordText === texts.read(recordPath) ? undefined : recordText,
  };
}

function templateNote(record: ProjectRecord | undefined, isRendered: boolean): string | undefined {
  if (record === undefined) return `${recordPath} is missing: the files of the template were not compared.`;
  if (isRendered) return undefined;
  return "service/service.ts names no database of the framework: the files of the template were not compared.";
}

function readRecord(root: string): ProjectRecord | undefined {
  const path = join(root, recordPath);
  if (!existsSync(path)) return undefined;
  const record = parseRecord(readFileSync(path, "utf8"));
  if (record === undefined) throw errors.E_UPGRADE_RECORD(recordPath);
  return record;
}

const sortFindings = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));

/** Texts of a project with changes that are not written yet. */
class ProjectTexts {
  readonly root: string;
  readonly #texts = new Map<string, string>();
  readonly #sources: readonly string[];

  constructor(root: string) {
    this.root = root;
    this.#sources = listSources(root);
  }

  read(path: string): string {
    return this.#texts.get(path) ?? this.#readFile(path) ?? "";
  }

  write(path: string, text: string): void {
    this.#texts.set(path, text);
  }

  /** Returns the paths of all programs, those of new files included. */
  sources(): readonly string[] {
    const added = [...this.#texts.keys()].filter((path) => /\.[cm]?[jt]sx?$/.test(path));
    return [...new Set([...this.#sources, ...added])];
  }

  /** Returns the programs and env files that are not UTF-8, whose names were not searched. */
  unreadable(): readonly Finding[] {
    const envFiles = readdirSync(this.root).filter((path) => /^\.env(?:\.|$)/.test(path));
    return [...this.#sources, ...envFiles]
      .filter((path) => this.#readFile(path) === undefined && statSync(join(this.root, path)).isFile())
      .map((path) => ({ path, line: 1, message: "is not UTF-8: it was not searched for old names" }));
  }

  changes(): UpgradePlan["files"] {
    const changed = [...this.#texts]
      .map(([path, text]) => [path, { before: this.#readFile(path), text }] as const)
      .filter(([, { before, text }]) => before !== text);
    return new Map(changed.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #readFile(path: string): string | undefined {
    return readUtf8File(join(this.root, path));
  }
}

function applyExportRenames(
  texts: ProjectTexts,
  exportRenames: readonly ExportRename[],
): { readonly renamed: readonly Finding[]; readonly remaining: readonly Finding[] } {
  const renamed: Finding[] = [];
  const remaining: Finding[] = [];
  for (const path of texts.sources()) {
    const before = texts.read(path);
    const result = renameExports(before, path, exportRenames);
    if (result.text !== before) texts.write(path, result.text);
    renamed.push(...result.renamed.map((message) => ({ path, ...message })));
    remaining.push(...result.remaining.map((message) => ({ path, ...message })));
  }
  return { renamed, remaining };
}

function applyKeyRenames(texts: ProjectTexts, keyRenames: readonly KeyRename[]): readonly Finding[] {
  const { files, renamed } = renameKeys(texts.root, (path) => texts.read(path), keyRenames);
  for (const [path, text] of files) texts.write(path, text);
  return renamed;
}

function applyPropertyRenames(
  texts: ProjectTexts,
  propertyRenames: readonly PropertyRename[],
): Pick<UpgradePlan, "renamed" | "typeProblems" | "typeFailure"> {
  const typeChecker = findTypeChecker(texts.root);
  if (typeChecker === undefined || !existsSync(join(texts.root, "tsconfig.json"))) {
    return { renamed: [], typeProblems: undefined, typeFailure: undefined };
  }
  using copy = copyProject(texts.root);
  for (const [path, { text }] of texts.changes()) copy.write(path, text);
  const renamed: Finding[] = [];
  const sources = new Set(texts.sources());
  for (let round = 1; ; round++) {
    const { problems: typeProblems, failure: typeFailure } = checkTypes(typeChecker, copy.folder);
    const inProject = typeProblems.filter(({ path }) => sources.has(path));
    const result = renameProperties(inProject, (path) => texts.read(path), propertyRenames);
    if (result.files.size === 0 || round === maxRounds) return { renamed, typeProblems, typeFailure };
    renamed.push(...result.renamed);
    for (const [path, text] of result.files) {
      texts.write(path, text);
      copy.write(path, text);
    }
  }
}

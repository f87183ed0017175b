import { join } from "node:path";
import {
  formatRecord,
  parseRecord,
  type ProjectRecord,
  readPackageFile,
  readProjectFile,
  recordPath,
} from "../../project/index.ts";
import { type ChangelogEntry, parseChangelog, sectionsSince } from "./changelog.ts";
import { errors } from "../errors.ts";
import { compareTemplate, listOriginals, readUtf8File, renderTemplate, type TemplateChange } from "./template-files.ts";
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
  /** New text of the record; `undefined` if it does not change. */
  readonly record: string | undefined;
}

/**
 * Plans the upgrade of a project. Changes no file.
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
  const changes = sectionsSince(parseChangelog(readPackageFile("CHANGELOG.md")), from);
  return {
    from,
    to: versions.to,
    changes: changes.flatMap(({ entries }) => entries),
    ...planTemplate(root, record, versions.to),
  };
}

function planTemplate(
  root: string,
  record: ProjectRecord | undefined,
  version: string,
): Pick<UpgradePlan, "template" | "templateNote" | "record"> {
  const skip = (templateNote: string): ReturnType<typeof planTemplate> => ({
    template: [],
    templateNote,
    record: undefined,
  });
  if (record === undefined) return skip(`${recordPath} is missing: the files of the template were not compared.`);
  const files = renderTemplate(root, record);
  if (files === undefined)
    return skip("service/service.ts names no database of the framework: the files of the template were not compared.");
  const template = compareTemplate(root, record, files);
  const newTexts = new Map(template.map(({ path, text }) => [path, text]));
  const textAfter = (path: string): string => newTexts.get(path) ?? readUtf8File(join(root, path)) ?? "";
  const text = formatRecord(version, record.isBare, files, listOriginals(record, files, textAfter));
  return { template, templateNote: undefined, record: text === textAfter(recordPath) ? undefined : text };
}

function readRecord(root: string): ProjectRecord | undefined {
  const text = readProjectFile(root, recordPath);
  if (text === undefined) return undefined;
  const record = parseRecord(text);
  if (record === undefined) throw errors.E_UPGRADE_RECORD(recordPath);
  return record;
}

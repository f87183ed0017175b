// What a release changes in the changelog and in the table of supported versions.
import { type ChangelogSection, parseChangelog } from "../../src/generators/upgrade/changelog.ts";
import { compareVersions, isPreRelease, parseVersion } from "../../src/generators/upgrade/versions.ts";

/** Months that a version gets security fixes after the next one was published. */
export const supportMonths = 3;

/**
 * Returns the next version by the entries of a section (SemVer 2.0.0 §4, §6-8). Breaking changes raise the major version. Before
 * 1.0.0 they raise the minor version. Fixes alone raise the patch version, everything else the minor version. Before
 * 1.0.0 that is the patch version, too. After a pre-release comes its version.
 */
export function nextVersion(current: string, entries: ChangelogSection["entries"]): string {
  const [major = 0, minor = 0, patch = 0] = parseVersion(current);
  if (isPreRelease(current)) return `${major}.${minor}.${patch}`;
  const hasBreaking = entries.some(({ kind }) => kind === "breaking");
  const hasFeature = entries.some(({ kind }) => kind !== "fixed");
  if (major === 0) return hasBreaking ? `0.${minor + 1}.0` : `0.${minor}.${patch + 1}`;
  if (hasBreaking) return `${major + 1}.0.0`;
  return hasFeature ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** Version to be released. */
export interface Release {
  readonly version: string;
  /** Date, as in `2026-11-23`. */
  readonly date: string;
}

/** Returns the release that a changelog asks for. Throws an error without an entry, or for a version that is not newer. */
export function planRelease(changelog: string, date: string, wanted: string | undefined): Release {
  const sections = parseChangelog(changelog);
  const unreleased = sections.find((section) => section.version === undefined);
  const newest = sections.find((section) => section.version !== undefined);
  // A version without a date, such as the first one, is released as it stands.
  const isUndated = newest?.version !== undefined && newest.date === undefined;
  if (isUndated && unreleased?.entries.length === 0 && wanted === undefined) return { version: newest.version, date };
  if (unreleased === undefined || unreleased.entries.length === 0) {
    throw new Error('CHANGELOG.md has no entry below "## Unreleased": there is nothing to release.');
  }
  const current = newest?.version ?? "0.0.0";
  const version = wanted ?? nextVersion(current, unreleased.entries);
  if (compareVersions(version, current) <= 0) throw new Error(`${version} is not newer than ${current}.`);
  return { version, date };
}

/** Moves the entries of `Unreleased` to a section of a version, or dates the section that has none. */
export function releaseChangelog(changelog: string, { version, date }: Release): string {
  const undated = `## ${version} (unreleased)\n`;
  if (changelog.includes(undated)) return changelog.replace(undated, `## ${version} (${date})\n`);
  return changelog.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} (${date})`);
}

/**
 * Returns the entries of a version as Markdown. Relative links lead to `linkBase`, because the page of a release has no files
 * next to it.
 */
export function releaseNotes(changelog: string, version: string, linkBase?: string): string {
  const [, ...parts] = `\n${changelog}`.split(/^## /m);
  const part = parts.find((text) => text.startsWith(`${version} `) || text.startsWith(`${version}\n`));
  if (part === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} (<date>)".`);
  const notes = part.slice(part.indexOf("\n")).trim();
  return linkBase === undefined ? notes : notes.replaceAll(/\]\((?![a-z]+:|#)/g, `](${linkBase}/`);
}

/** Checks that a tag is the one of the newest version of a changelog, and that nothing is left to be released. */
export function checkTag(changelog: string, tag: string): void {
  const [unreleased, newest] = parseChangelog(changelog);
  if (newest?.version === undefined || newest.date === undefined || tag !== `v${newest.version}`) {
    throw new Error(`The tag ${tag} is not the newest version of CHANGELOG.md with a date.`);
  }
  if (unreleased !== undefined && unreleased.entries.length > 0) {
    throw new Error('CHANGELOG.md has entries below "## Unreleased", which belong to the next release.');
  }
}

/**
 * Adds a version to the table of supported versions. The version line before it gets its end date. A patch version and a
 * pre-release change nothing: the table lists published lines of versions, such as 0.2.
 */
export function releaseSupport(markdown: string, { version, date }: Release): string {
  if (isPreRelease(version)) return markdown;
  const line = version.split(".").slice(0, 2).join(".");
  const lines = markdown.split("\n");
  const head = lines.findIndex((text) => /^\| Version +\|/.test(text));
  if (head === -1) throw new Error("SECURITY.md has no table of supported versions.");
  const end = lines.indexOf("", head);
  const columns = (row: string): readonly string[] =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const older = lines
    .slice(head + 2, end)
    .map(columns)
    .filter(([name]) => name !== noVersion);
  if (older.some(([name]) => name === line)) return markdown;
  const rows = [
    columns(lines[head] ?? ""),
    [line, date, openEnd],
    ...older.map(([name = "", published = "", until = ""]) => {
      return [name, published, until === openEnd ? addMonths(date, supportMonths) : until];
    }),
  ];
  return [...lines.slice(0, head), ...formatTable(rows), ...lines.slice(end)].join("\n");
}

/** Text of the table for the end of the newest version line, and of the row before the first release. */
const openEnd = `${supportMonths} months after the next one`;
const noVersion = "none yet";

/** Returns the lines of a Markdown table whose columns are aligned. */
function formatTable(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const formatted = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`);
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [formatted[0] ?? "", rule, ...formatted.slice(1)];
}

/** Returns a date some months later. The 31st becomes the last day of a shorter month. */
export function addMonths(date: string, months: number): string {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const lastDay = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, lastDay))).toISOString().slice(0, 10);
}

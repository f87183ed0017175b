import { compareVersions } from "./versions.ts";

/** Effect of a change on an application. An entry without a mark is a feature or an improvement. */
export type ChangeKind = "breaking" | "deprecated" | "fixed" | "change";

/** Entry of the changelog. */
export interface ChangelogEntry {
  /** Feature that the entry is about. */
  readonly topic: string;
  readonly kind: ChangeKind;
  /** Text after the topic, on one line. */
  readonly text: string;
}

/** Section of the changelog: one version. */
export interface ChangelogSection {
  /** Version; `undefined` for the changes that are not released yet. */
  readonly version: string | undefined;
  /** Date of the release, as in `2026-11-23`; `undefined` for a version that was not published. */
  readonly date: string | undefined;
  readonly entries: readonly ChangelogEntry[];
}

const versionHeading = /^(\d+\.\d+\.\d+(?:-[\w.]+)?)(?: \((\d{4}-\d\d-\d\d|unreleased)\))?$/;
const entryPattern = /^- \*\*(.+?)\*\*(?: \((breaking|deprecated|fixed)\))?(?: \(\[[^\]]*\]\([^)]*\)\))?:? *([^]*)$/;

/**
 * Parses a changelog: sections with the heading `## Unreleased` or `## 0.2.0 (2026-11-23)`, and entries of the form
 * `- **Topic**: text`. A mark after the topic states the kind: `- **Topic** (breaking): text`.
 *
 * Sections with other headings are skipped.
 */
export function parseChangelog(markdown: string): readonly ChangelogSection[] {
  const [, ...parts] = `\n${markdown}`.split(/^## /m);
  return parts.flatMap((part): ChangelogSection[] => {
    const [heading = "", ...lines] = part.split("\n");
    const entries = parseEntries(lines);
    if (heading.trim() === "Unreleased") return [{ version: undefined, date: undefined, entries }];
    const [, version, date] = versionHeading.exec(heading.trim()) ?? [];
    if (version === undefined) return [];
    return [{ version, date: date === "unreleased" ? undefined : date, entries }];
  });
}

function parseEntries(lines: readonly string[]): readonly ChangelogEntry[] {
  return lines
    .join("\n")
    .split(/^(?=- )/m)
    .flatMap((block) => {
      const [, topic, kind, text = ""] = entryPattern.exec(block.replaceAll(/\s+/g, " ").trim()) ?? [];
      return topic === undefined ? [] : [{ topic, kind: (kind ?? "change") as ChangeKind, text }];
    });
}

/** Returns the sections that are newer than a version, with the unreleased one. Returns all for `undefined`. */
export function sectionsSince(
  sections: readonly ChangelogSection[],
  version: string | undefined,
): readonly ChangelogSection[] {
  if (version === undefined) return sections;
  return sections.filter((section) => section.version === undefined || compareVersions(section.version, version) > 0);
}

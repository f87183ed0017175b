import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { singularize } from "../inflection/index.ts";
import { toName } from "./name.ts";

/** Tables of a project. */
export interface ProjectTables {
  /** Names of the tables that migrations create or the domain describes, as far as their texts show them. */
  readonly names: readonly string[];
  /** Returns the entity of a table: beside the repository that describes it, or that of the model of this name. */
  readonly findEntity: (table: string) => ProjectFile | undefined;
}

/** File of a project. */
interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

/** Reads the tables of a project. */
export function projectTables(root: string): ProjectTables {
  const migrations = readFiles(root, "database", /^migration[^.]*\.ts$/);
  const files = readFiles(root, "app/domain", /\b(?:entity|repository)\.ts$/);
  const describedTables = files.flatMap(({ path, text }) =>
    namesIn(text, /= Table\.make\(\s*"(\w+)"/g).map((name) => [name, dirname(path)] as const),
  );
  const createdTables = migrations.flatMap(({ text }) =>
    namesIn(text, /\b(?:create table(?: if not exists)?|rename to)\s+["`]?(\w+)/gi),
  );
  const folderByTable = new Map(describedTables);
  return {
    names: [...new Set([...createdTables, ...folderByTable.keys()])],
    findEntity: (table) => {
      const folder = folderByTable.get(table) ?? `app/domain/${toName(singularize(table)).kebab}`;
      return files.find(({ path }) => path === `${folder}/entity.ts`);
    },
  };
}

/** True if the text of an entity declares a field. */
export const declaresField = (text: string, field: string): boolean =>
  new RegExp(`(?:^|[{,])\\s*(?:${field}\\s*[:,}]|["']${field}["']\\s*:)`, "m").test(text);

const namesIn = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, name = ""]) => name);

/** Reads the files below a folder whose path from it matches a pattern. Returns none if the folder does not exist. */
function readFiles(root: string, folder: string, pattern: RegExp): readonly ProjectFile[] {
  const paths = listFiles(join(root, folder)).map((path) => path.replaceAll("\\", "/"));
  return paths
    .filter((path) => pattern.test(path))
    .sort()
    .map((path) => ({ path: `${folder}/${path}`, text: readFileSync(join(root, folder, path), "utf8") }));
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
}

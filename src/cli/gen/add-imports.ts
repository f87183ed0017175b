import { printNames } from "./print.ts";

const statement = /^import\b[^;]*;\n/gm;
const named = /^import \{ ([^}]+) \} from "([^"]+)";$/;

/** Adds imports: a name to the import of its module where there is one, all else behind those of its kind. */
export function addImports(text: string, imports: readonly string[]): string {
  return imports.reduce(addImport, text);
}

function addImport(text: string, line: string): string {
  if (text.includes(line)) return text;
  const [, names = "", from] = named.exec(line) ?? [];
  const statements = [...text.matchAll(statement)];
  const same = statements.find(([each]) => from !== undefined && namesOf(each, from) !== undefined);
  if (same !== undefined && from !== undefined) {
    const all = new Set([...(namesOf(same[0], from) ?? []), ...listed(names)]);
    return splice(text, same.index, same[0], `${printNames("import", [...all], from)}\n`);
  }
  const isPackage = (each: string): boolean => !/ from "\.{1,2}\//.test(each);
  const last = (isPackage(line) ? statements.filter(([each]) => isPackage(each)) : statements).at(-1);
  if (last !== undefined) return splice(text, last.index, last[0], `${last[0]}${line}\n`);
  return `${line}\n${statements.length === 0 && text !== "" ? "\n" : ""}${text}`;
}

/** The names that a statement imports from a module; `undefined` when it is no such statement. */
function namesOf(text: string, from: string): readonly string[] | undefined {
  const [, names, module] = /^import \{([^}]*)\} from "([^"]+)";\n$/.exec(text) ?? [];
  return names === undefined || module !== from ? undefined : listed(names);
}

const listed = (names: string): readonly string[] =>
  names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

const splice = (text: string, at: number, old: string, by: string): string =>
  text.slice(0, at) + by + text.slice(at + old.length);

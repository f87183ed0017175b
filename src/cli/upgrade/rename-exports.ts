import { ImportList } from "./import-list.ts";
import { nameUse } from "./name-use.ts";
import { findOtherImports } from "./other-imports.ts";
import {
  applyEdits,
  type Edit,
  type ImportDeclaration,
  type ImportedName,
  lineOf,
  parseProgram,
  type Program,
} from "./program.ts";
import type { ExportRename } from "./rename.ts";

/** Line of a program with a message. */
export interface LineMessage {
  readonly line: number;
  readonly message: string;
}

/** Result of a codemod. */
export interface CodemodResult {
  readonly text: string;
  readonly renamed: readonly LineMessage[];
  /** Old names that the user has to replace. */
  readonly remaining: readonly LineMessage[];
}

/** Name of the program that stands for an exported name. */
interface Binding {
  readonly declaration: ImportDeclaration;
  /** Imported name; `undefined` for `* as name`. */
  readonly name: ImportedName | undefined;
  readonly local: string;
  /** Exported name that the local name stands for, by its parts. */
  readonly prefix: readonly string[];
}

/**
 * Renames exported names in a TypeScript program: in imports, where the imported names are used, and where they are members
 * of an imported namespace. Strings and comments stay as they are.
 */
export function renameExports(code: string, path: string, renames: readonly ExportRename[]): CodemodResult {
  const entryPoints = new Set(renames.map(({ entryPoint }) => entryPoint));
  if (![...entryPoints].some((name) => code.includes(name))) return { text: code, renamed: [], remaining: [] };
  const codemod = new ExportCodemod(code, path);
  for (const declaration of codemod.program.imports) {
    const candidates = renames.filter(({ entryPoint }) => entryPoint === declaration.from);
    for (const binding of bindingsOf(declaration)) codemod.renameBinding(binding, candidates);
  }
  codemod.renameOtherImports(renames);
  return codemod.result();
}

function bindingsOf(declaration: ImportDeclaration): readonly Binding[] {
  const { namespace, names } = declaration;
  return [
    ...(namespace === undefined ? [] : [{ declaration, name: undefined, local: namespace, prefix: [] }]),
    ...names.map((name) => ({ declaration, name, local: name.local, prefix: [name.imported] })),
  ];
}

const beginsWith = (path: readonly string[], prefix: readonly string[]): boolean =>
  prefix.length <= path.length && prefix.every((part, index) => part === path[index]);

class ExportCodemod {
  readonly program: Program;
  readonly #imports: ImportList;
  readonly #edits: Edit[] = [];
  readonly #renamed: LineMessage[] = [];
  readonly #remaining: LineMessage[] = [];

  constructor(code: string, path: string) {
    this.program = parseProgram(code, path);
    this.#imports = new ImportList(this.program);
  }

  result(): CodemodResult {
    const text = applyEdits(this.program.code, [...this.#edits, ...this.#imports.edits()]);
    const byLine = (a: LineMessage, b: LineMessage): number => a.line - b.line;
    return { text, renamed: this.#renamed.toSorted(byLine), remaining: this.#remaining.toSorted(byLine) };
  }

  /** Renames an imported name itself, or members of it. */
  renameBinding(binding: Binding, renames: readonly ExportRename[]): void {
    const { name, prefix } = binding;
    const candidates = renames.filter(({ path }) => beginsWith(path, prefix));
    const exact = candidates.find(({ path }) => path.length === prefix.length);
    if (exact !== undefined && name !== undefined) this.#renameName(binding, name, exact);
    else if (candidates.length > 0) this.#renameMembers(binding, candidates);
  }

  renameOtherImports(renames: readonly ExportRename[]): void {
    for (const { index, rename, edit } of findOtherImports(this.program, renames)) {
      if (edit === undefined) {
        this.#report(index, rename);
      } else {
        this.#edits.push(edit);
        this.#note(index, rename);
      }
    }
  }

  #renameName(binding: Binding, name: ImportedName, rename: ExportRename): void {
    const { declaration, local } = binding;
    const { target } = rename;
    const [first = "", ...members] = target?.path ?? [];
    if (target === undefined) return this.#report(name.index, rename);
    const isType = declaration.isType || name.isType;
    const uses = this.#usesOf(local);
    const isSafe = uses.every((index) => nameUse(this.program, index) === "reference");
    if (members.length > 0) {
      if (!isSafe || !this.#imports.isFree(target.entryPoint, first, isType)) return this.#report(name.index, rename);
      this.#imports.remove(declaration, local);
      this.#imports.add(target.entryPoint, first, isType);
      for (const index of uses) this.#replace(index, index, target.path.join("."));
    } else {
      // Without a new name in the program, `new as old` is always correct.
      const canRename =
        isSafe &&
        local === name.imported &&
        this.#imports.isFree(target.entryPoint, first, isType) &&
        uses.every((index) => this.#staysComponent(index, first));
      const newLocal = canRename ? first : local;
      if (target.entryPoint === declaration.from) this.#imports.rename(declaration, name, first, newLocal);
      else {
        this.#imports.remove(declaration, local);
        this.#imports.add(target.entryPoint, first, isType, newLocal);
      }
      if (canRename) for (const index of uses) this.#replace(index, index, first);
    }
    this.#note(name.index, rename);
  }

  #renameMembers({ declaration, name, local, prefix }: Binding, renames: readonly ExportRename[]): void {
    const uses = this.#usesOf(local);
    const isDeclaredAgain = uses.some((index) => nameUse(this.program, index) === "declaration");
    let movedUses = 0;
    for (const index of uses) {
      const members = this.#membersAt(index);
      const path = [...prefix, ...members.map((member) => this.#text(member))];
      const rename = renames
        .filter((candidate) => beginsWith(path, candidate.path))
        .toSorted((a, b) => b.path.length - a.path.length)[0];
      if (rename === undefined) continue;
      const last = members[rename.path.length - prefix.length - 1] ?? index;
      const { target } = rename;
      if (target === undefined || isDeclaredAgain || nameUse(this.program, index) !== "reference") {
        this.#report(index, rename);
        continue;
      }
      const isSameNamespace = target.entryPoint === declaration.from && beginsWith(target.path, prefix);
      if (isSameNamespace) {
        const tail = target.path.slice(prefix.length);
        const changed = members.slice(0, tail.length - 1);
        const isSibling =
          target.path.length === rename.path.length &&
          changed.every((member, position) => this.#text(member) === tail[position]);
        if (isSibling) this.#replace(last, last, tail.at(-1) ?? "");
        else this.#replace(members[0] ?? last, last, tail.join("."));
      } else {
        const [first = ""] = target.path;
        const isType = declaration.isType || name?.isType === true;
        const isFree = this.#imports.isFree(target.entryPoint, first, isType);
        if (!isFree || !this.#staysComponent(index, target.path.join("."))) {
          this.#report(index, rename);
          continue;
        }
        this.#imports.add(target.entryPoint, first, isType);
        this.#replace(index, last, target.path.join("."));
        movedUses += 1;
      }
      this.#note(index, rename);
    }
    if (name !== undefined && movedUses > 0 && movedUses === uses.length) this.#imports.remove(declaration, local);
  }

  /** Returns the indexes of the tokens that use or declare a local name, outside of imports. */
  #usesOf(local: string): readonly number[] {
    const { tokens, imports } = this.program;
    return tokens.flatMap(({ kind, text }, index) => {
      if (kind !== "name" || text !== local) return [];
      const isImport = imports.some(({ tokens: [first, last] }) => index >= first && index <= last);
      return isImport || nameUse(this.program, index) === "property" ? [] : [index];
    });
  }

  /** Returns the indexes of the names after a name: `.member.member`, `!.member`. */
  #membersAt(index: number): readonly number[] {
    const members: number[] = [];
    for (let last = index; ; last = members.at(-1) ?? index) {
      const dot = this.#text(last + 1) === "!" ? last + 2 : last + 1;
      if (!/^\??\.$/.test(this.#text(dot)) || this.program.tokens[dot + 1]?.kind !== "name") return members;
      members.push(dot + 1);
    }
  }

  /** Returns false for a JSX tag with a new name in lower case: `<Button>` is a component, `<button>` an element of HTML. */
  #staysComponent(index: number, newName: string): boolean {
    return !/^[</]$/.test(this.#text(index - 1)) || !/^\p{Ll}[^.]*$/u.test(newName);
  }

  #text(index: number): string {
    return this.program.tokens[index]?.text ?? "";
  }

  #replace(first: number, last: number, text: string): void {
    const [begin, end] = [this.program.tokens[first], this.program.tokens[last]];
    if (begin === undefined || end === undefined) return;
    this.#edits.push({ start: begin.start, end: end.start + end.text.length, text });
  }

  #lineAt(index: number): number {
    return lineOf(this.program.code, this.program.tokens[index]?.start ?? 0);
  }

  #note(index: number, { path, target, entryPoint }: ExportRename): void {
    const moved = target !== undefined && target.entryPoint !== entryPoint ? ` of ${target.entryPoint}` : "";
    this.#renamed.push({
      line: this.#lineAt(index),
      message: `${path.join(".")} → ${target?.path.join(".") ?? ""}${moved}`,
    });
  }

  #report(index: number, { path, entryPoint, target, advice }: ExportRename): void {
    const replacement = target === undefined ? advice : `use ${target.path.join(".")} of ${target.entryPoint}`;
    this.#remaining.push({
      line: this.#lineAt(index),
      message: `${path.join(".")} of ${entryPoint} is gone: ${replacement.replaceAll("`", "")}`,
    });
  }
}

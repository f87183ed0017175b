import type { Edit, ImportDeclaration, ImportedName, Program } from "./program.ts";

/** Name to be imported. */
interface Addition {
  readonly name: string;
  readonly local: string;
  readonly isType: boolean;
}

/** Changes of the imports of a program: names that are renamed, removed and added. */
export class ImportList {
  readonly #program: Program;
  readonly #removed = new Map<ImportDeclaration, Set<string>>();
  readonly #renamed = new Map<ImportedName, Omit<Addition, "isType">>();
  readonly #added = new Map<string, Addition[]>();

  constructor(program: Program) {
    this.#program = program;
  }

  /** Removes a name from a declaration, by its local name. */
  remove(declaration: ImportDeclaration, local: string): void {
    const names = this.#removed.get(declaration) ?? new Set();
    this.#removed.set(declaration, names.add(local));
  }

  /** Imports another name in place of a name of a declaration. */
  rename(declaration: ImportDeclaration, old: ImportedName, name: string, local: string): void {
    const isImported = this.#program.imports.some(({ names }) =>
      names.some((other) => other !== old && other.local === local),
    );
    if (isImported) this.remove(declaration, old.local);
    else this.#renamed.set(old, { name, local });
  }

  /** Imports a name, unless the program imports it already. */
  add(entryPoint: string, name: string, isType: boolean, local: string = name): void {
    const isImported = this.#program.imports.some(
      (declaration) =>
        declaration.from === entryPoint &&
        declaration.names.some(
          (other) =>
            other.imported === name &&
            other.local === local &&
            (isType || !(declaration.isType || other.isType)) &&
            this.#removed.get(declaration)?.has(local) !== true,
        ),
    );
    const added = this.#added.get(entryPoint) ?? [];
    if (isImported) return;
    const others = added.filter((other) => other.local !== local);
    const isTypeOnly = isType && added.every((other) => other.local !== local || other.isType);
    this.#added.set(entryPoint, [...others, { name, local, isType: isTypeOnly }]);
  }

  /**
   * Returns true if the program has no other meaning for a local name than the one of an entry point. An import of the type
   * is another meaning if the value is needed.
   */
  isFree(entryPoint: string, name: string, isType: boolean): boolean {
    const { imports, tokens } = this.#program;
    const importers = imports.filter(({ names, namespace }) =>
      [namespace, ...names.map(({ local }) => local)].includes(name),
    );
    if (importers.length > 0) {
      return importers.every(
        (declaration) =>
          declaration.from === entryPoint &&
          declaration.names.some(
            (other) =>
              other.imported === name && other.local === name && (isType || !(declaration.isType || other.isType)),
          ),
      );
    }
    return !tokens.some(
      ({ kind, text }, index) => kind === "name" && text === name && !/^\??\.$/.test(tokens[index - 1]?.text ?? ""),
    );
  }

  /** Returns the edits of the import declarations. */
  edits(): readonly Edit[] {
    const edits: Edit[] = [];
    for (const declaration of this.#program.imports) {
      const removed = this.#removed.get(declaration) ?? new Set();
      const canTakeMore = declaration.braces !== undefined && !declaration.isType && removed.size > 0;
      const added = canTakeMore ? (this.#added.get(declaration.from) ?? []) : [];
      if (added.length > 0) this.#added.delete(declaration.from);
      if (removed.size > 0) edits.push(this.#rewrite(declaration, removed, added));
      else edits.push(...declaration.names.flatMap((name) => this.#renameEdit(name)));
    }
    const { code, tokens, imports } = this.#program;
    const lineEnd = code.includes("\r\n") ? "\r\n" : "\n";
    const lastImport = imports.at(-1);
    const lastStart = lastImport === undefined ? 0 : (tokens[lastImport.tokens[0]]?.start ?? 0);
    const isLastRemoved = edits.some(({ start, text }) => start === lastStart && text === "");
    const replacesLine = lastImport === undefined || isLastRemoved;
    const index = replacesLine ? lastStart : Math.min(endOf(tokens[lastImport.tokens[1]]), code.length);
    const statements = [...this.#added].map(([from, names]) => {
      const isTypeOnly = names.every(({ isType }) => isType);
      const list = names.map((name) => formatName(isTypeOnly ? { ...name, isType: false } : name)).join(", ");
      return `import ${isTypeOnly ? "type " : ""}{ ${list} } from "${from}";`;
    });
    if (statements.length === 0) return edits;
    const text = statements.map((statement) => (replacesLine ? statement + lineEnd : lineEnd + statement)).join("");
    return [...edits, { start: index, end: index, text }];
  }

  #renameEdit(old: ImportedName): readonly Edit[] {
    const renamed = this.#renamed.get(old);
    const [token, local] = [this.#program.tokens[old.index], this.#program.tokens[old.localIndex]];
    if (renamed === undefined || token === undefined) return [];
    return [{ start: token.start, end: endOf(local), text: formatName({ ...renamed, isType: false }) }];
  }

  #rewrite(declaration: ImportDeclaration, removed: ReadonlySet<string>, added: readonly Addition[]): Edit {
    const { code, tokens } = this.#program;
    const names = [
      ...declaration.names
        .filter(({ local }) => !removed.has(local))
        .map((old) =>
          formatName({ name: old.imported, local: old.local, ...this.#renamed.get(old), isType: old.isType }),
        ),
      ...added.map(formatName),
    ];
    const [open, close] = declaration.braces ?? declaration.tokens;
    if (names.length > 0 || declaration.hasDefault) {
      const list = names.length === 0 ? "{}" : `{ ${names.join(", ")} }`;
      return { start: tokens[open]?.start ?? 0, end: endOf(tokens[close]), text: list };
    }
    const end = endOf(tokens[declaration.tokens[1]]);
    return {
      start: tokens[declaration.tokens[0]]?.start ?? 0,
      end: end + (/^\r?\n/.exec(code.slice(end, end + 2))?.[0].length ?? 0),
      text: "",
    };
  }
}

const endOf = (token: { readonly start: number; readonly text: string } | undefined): number =>
  token === undefined ? 0 : token.start + token.text.length;

const formatName = ({ name, local, isType }: Addition): string =>
  `${isType ? "type " : ""}${name === local ? name : `${name} as ${local}`}`;

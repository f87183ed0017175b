import ts from "typescript";
import type { Declarations, EntryPoint } from "./declarations.ts";

/** Kind of an export, in the order of the reference's sections. */
export type ExportKind = "function" | "value" | "class" | "type";

/** Documented export of a page. */
export interface ApiExport {
  /** Name with its namespace: `Web.get`. */
  readonly name: string;
  readonly kind: ExportKind;
  readonly declarations: readonly ts.Declaration[];
  /** Name of the same export that the page documents, if this one is an alias. */
  readonly aliasOf: string | undefined;
  /** Doc comment of the export statement, if it has one. */
  readonly exportDoc: string;
}

/** Name that a page mentions, and the page that documents it. */
export interface ApiLink {
  readonly name: string;
  readonly page: ApiPage;
  /** Name of the export on the page. `undefined` for the page of a namespace. */
  readonly target: string | undefined;
}

/** Page of the reference: an entry point or a namespace. */
export interface ApiPage {
  /** Name of the file, without its extension. */
  readonly id: string;
  /** `limmat/web`, or the name of a namespace: `Web.Middleware`. */
  readonly title: string;
  /** Statement that imports the module. */
  readonly importCode: string;
  /** Text before the names of the exports: `Web.`, or nothing. */
  readonly prefix: string;
  readonly doc: string;
  readonly exports: ApiExport[];
  readonly namespaces: ApiLink[];
  /** Exports that another page documents. */
  readonly others: ApiLink[];
}

/** Returns the pages of the reference: entry points, each followed by its namespaces. */
export function collectExports({ entryPoints, checker }: Declarations): ApiPage[] {
  const pages: ApiPage[] = [];
  const pageByModule = new Map<ts.Symbol, ApiPage>();
  const linkBySymbol = new Map<ts.Symbol, ApiLink>();

  const resolve = (symbol: ts.Symbol): ts.Symbol =>
    (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);

  /** Returns the module that a name stands for: `export * as Name`, or a constant of the type `typeof module`. */
  const moduleOf = (symbol: ts.Symbol): ts.Symbol | undefined => {
    if ((symbol.flags & ts.SymbolFlags.ValueModule) !== 0) return symbol;
    const type = symbol.declarations?.find(ts.isVariableDeclaration)?.type;
    if (type === undefined || !ts.isTypeQueryNode(type)) return undefined;
    const named = checker.getSymbolAtLocation(type.exprName);
    const target = named === undefined ? undefined : resolve(named);
    return target !== undefined && (target.flags & ts.SymbolFlags.ValueModule) !== 0 ? target : undefined;
  };

  const addPage = (module: ts.Symbol, page: ApiPage): void => {
    pages.push(page);
    pageByModule.set(module, page);
  };

  const addNamespace = (parent: ApiPage, name: string, symbol: ts.Symbol, module: ts.Symbol, doc: string): void => {
    let page = pageByModule.get(module);
    if (page === undefined) {
      const title = `${parent.prefix}${name}`;
      page = {
        id: `${parent.id}.${name.toLowerCase()}`,
        title,
        importCode: importNamespace(parent, name),
        prefix: `${title}.`,
        doc: doc || namespaceDoc(symbol),
        exports: [],
        namespaces: [],
        others: [],
      };
      addPage(module, page);
      addExports(page, module);
    }
    parent.namespaces.push({ name, page, target: undefined });
  };

  const addExports = (page: ApiPage, module: ts.Symbol): void => {
    const exports = checker.getExportsOfModule(module).sort((a, b) => compareNames(a.name, b.name));
    const nameBySymbol = new Map<ts.Symbol, string>();
    for (const exported of exports) {
      const symbol = resolve(exported);
      const namespace = moduleOf(symbol);
      // A constant that is a namespace and a type of the same name share the doc comment of the constant.
      const exportDoc =
        (exported === symbol ? "" : docOf(exported)) || (namespace === undefined ? "" : namespaceDoc(symbol));
      if (namespace !== undefined) addNamespace(page, exported.name, symbol, namespace, exportDoc);
      const declarations = (symbol.declarations ?? []).filter(
        (declaration) =>
          !ts.isSourceFile(declaration) && !(namespace !== undefined && ts.isVariableDeclaration(declaration)),
      );
      if (declarations.length === 0) continue;
      const documented = linkBySymbol.get(symbol);
      if (documented !== undefined && documented.page !== page) {
        page.others.push({ ...documented, name: exported.name });
        continue;
      }
      const name = `${page.prefix}${exported.name}`;
      const aliasOf = nameBySymbol.get(symbol);
      page.exports.push({ name, kind: kindOf(symbol, declarations, checker), declarations, aliasOf, exportDoc });
      if (aliasOf !== undefined) continue;
      nameBySymbol.set(symbol, name);
      linkBySymbol.set(symbol, { name: exported.name, page, target: name });
    }
  };

  const [main, ...others] = entryPoints as [EntryPoint, ...EntryPoint[]];
  const namespaceByModule = new Map(
    checker.getExportsOfModule(main.module).map((exported) => [moduleOf(resolve(exported)), exported.name]),
  );
  const mainNames = new Set(namespaceByModule.values());
  /** Returns the name for an import of a whole module: one of its namespaces has the name of another one of `limmat`. */
  const wholeName = ({ name, module }: EntryPoint): string | undefined => {
    const clashes = checker.getExportsOfModule(module).some((exported) => {
      const namespace = moduleOf(resolve(exported));
      return namespace !== undefined && mainNames.has(exported.name) && !namespaceByModule.has(namespace);
    });
    return clashes ? name.replace(/^.*\/(.)/, (_, first: string) => first.toUpperCase()) : undefined;
  };
  for (const { name, module } of [main, ...others]) {
    if (pageByModule.has(module)) continue;
    const namespace = namespaceByModule.get(module);
    const whole = module === main.module || namespace !== undefined ? undefined : wholeName({ name, module });
    const prefix = namespace ?? whole;
    addPage(module, {
      id: name === "limmat" ? name : name.slice("limmat/".length).replaceAll("/", "-"),
      title: name,
      importCode: whole === undefined ? importStatement(name, namespace) : `import * as ${whole} from "${name}";`,
      prefix: prefix === undefined ? "" : `${prefix}.`,
      doc: "",
      exports: [],
      namespaces: [],
      others: [],
    });
  }
  for (const { module } of [...others, main]) {
    const page = pageByModule.get(module) as ApiPage;
    if (page.exports.length === 0 && page.namespaces.length === 0) addExports(page, module);
  }
  return pages;
}

const compareNames = (a: string, b: string): number => a.localeCompare(b, "en");

function importStatement(name: string, namespace: string | undefined): string {
  if (name === "limmat") return `import { App, Web } from "limmat";`;
  const import_ = `import { … } from "${name}";`;
  return namespace === undefined ? import_ : `import { ${namespace} } from "limmat";\n// or\n${import_}`;
}

/** Returns the statement that imports a namespace; the one of its parent if that is a namespace, too. */
function importNamespace(parent: ApiPage, name: string): string {
  if (parent.title === "limmat") return `import { ${name} } from "limmat";`;
  return parent.importCode.replace("{ … }", `{ ${name} }`);
}

/** A constant that can be called, such as `Web.get`, is a function. */
function kindOf(symbol: ts.Symbol, declarations: readonly ts.Declaration[], checker: ts.TypeChecker): ExportKind {
  if ((symbol.flags & ts.SymbolFlags.Function) !== 0) return "function";
  if ((symbol.flags & ts.SymbolFlags.Class) !== 0) return "class";
  const variable = declarations.find(ts.isVariableDeclaration);
  if (variable === undefined) return "type";
  return checker.getTypeAtLocation(variable).getCallSignatures().length > 0 ? "function" : "value";
}

/** Returns the doc comment of a symbol: its text, without tags. */
export function docOf(symbol: ts.Symbol): string {
  return (symbol.declarations ?? []).map((declaration) => docComment(declaration)?.text ?? "").find(Boolean) ?? "";
}

/** Returns the doc comment of the constant that is a namespace, or else of the type with the same name. */
function namespaceDoc(symbol: ts.Symbol): string {
  const constant = symbol.declarations?.find(ts.isVariableDeclaration);
  return (constant === undefined ? "" : docComment(constant)?.text) || docOf(symbol);
}

/** Doc comment of a declaration. */
export interface DocComment {
  readonly text: string;
  readonly tags: readonly { readonly name: string; readonly parameter: string | undefined; readonly text: string }[];
}

/** Returns the doc comment of a declaration, or `undefined`. */
export function docComment(declaration: ts.Node): DocComment | undefined {
  const comment = ts.getJSDocCommentsAndTags(declaration).findLast((node) => ts.isJSDoc(node));
  if (comment === undefined) return undefined;
  return {
    text: (ts.getTextOfJSDocComment(comment.comment) ?? "").trim(),
    tags: (comment.tags ?? []).map((tag) => ({
      name: tag.tagName.text,
      parameter: ts.isJSDocParameterTag(tag) ? tag.name.getText() : undefined,
      text: (ts.getTextOfJSDocComment(tag.comment) ?? "").replace(/^- /, "").trim(),
    })),
  };
}

import { type GeneratedFile, readPackageFile, renderStub, type StubValues } from "../project/index.ts";
import type { Model } from "./describe-model.ts";
import { printNames } from "./print.ts";
import { importStatement, parseImport } from "./wire.ts";

/** Renders a module of a model from a stub, without the imports that it does not use. */
export const renderModule = (stub: string, { values }: Pick<Model, "values">, ownValues: StubValues = {}): string =>
  pruneImports(renderStub(stub, ownValues, values));

/** Renders a file that several models share. A project that has it keeps it. */
export const sharedStub = (path: string, stub: string, values: StubValues = {}): GeneratedFile => ({
  path,
  text: renderStub(stub, {}, values),
  whenPresent: "keep",
});

/** Returns a file of the template, which a project may lack. */
export const templateFile = (path: string): GeneratedFile => ({
  path,
  text: readPackageFile(`template/${path}`),
  whenPresent: "keep",
});

/** Removes the imports that a module does not use. */
function pruneImports(text: string): string {
  const code = text
    .replaceAll(importStatement, "")
    // Of a template that is the value of a property, only its expressions count.
    .replaceAll(/(?<=: )`[^`\n]*`/g, (template) => [...template.matchAll(/\$\{([^}]*)\}/g)].join(" "))
    .replaceAll(/\/\*[^]*?\*\/|\/\/.*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, "");
  const isUsed = (pattern: string): boolean => new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${pattern}`).test(code);
  return text.replaceAll(importStatement, (statement) => {
    const [, namespace] = /^import \* as (\w+)/.exec(statement) ?? [];
    if (namespace !== undefined) return isUsed(`${namespace}\\.`) ? statement : "";
    const { names = [], from } = parseImport(statement) ?? {};
    if (from === undefined) return statement;
    const used = names.filter((name) => isUsed(`${name.replace(/^type |^.* as /, "")}(?![\\w$]|\\??:)`));
    if (used.length === 0) return "";
    const isType = used.every((name) => name.startsWith("type "));
    const list = isType ? used.map((name) => name.replace("type ", "")) : used;
    return `${printNames(isType ? "import type" : "import", list, from)}\n`;
  });
}

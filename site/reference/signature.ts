import ts from "typescript";
import { docComment } from "./collect-exports.ts";
import { maxLineLength } from "./format-code.ts";

/** Member of a class that has a section of its own. */
export interface ClassMethod {
  readonly name: string;
  readonly isStatic: boolean;
  readonly declarations: readonly ts.Declaration[];
}

/** Returns the code of a declaration without its body, doc comment and hidden members. */
export function signature(declaration: ts.Declaration, name: string): string {
  const source = declaration.getSourceFile();
  if (ts.isVariableDeclaration(declaration)) return `const ${declaration.getText(source)};`;
  const hidden =
    ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)
      ? (declaration.members as ts.NodeArray<ts.Node>).filter(
          (member) => isHidden(member) || isDocumentedMethod(member),
        )
      : [];
  const start = declaration.getStart(source);
  let text = "";
  let position = start;
  for (const member of hidden) {
    text += source.text.slice(position, member.pos);
    position = member.end;
  }
  text += source.text.slice(position, declaration.end);
  const declared = ts.getNameOfDeclaration(declaration)?.getText(source) ?? "";
  const localName = name.split(".").at(-1) ?? name;
  const withName = text.replace(/^(?:export )?(?:default )?(?:declare )?/, "").replace(declared, localName);
  // The compiler indents by four spaces, and the lines of a comment by one more.
  return wrapComments(
    withName.replaceAll(/^ +/gm, ({ length }) => " ".repeat((length - (length % 2)) / 2 + (length % 2))),
  );
}

/** Returns the public methods of a class that have a doc comment, with their overloads. */
export function classMethods(declaration: ts.Declaration): ClassMethod[] {
  if (!ts.isClassDeclaration(declaration)) return [];
  const methods = new Map<string, { name: string; isStatic: boolean; declarations: ts.Declaration[] }>();
  for (const member of declaration.members) {
    if (!ts.isMethodDeclaration(member) || isHidden(member)) continue;
    const name = member.name.getText();
    const isStatic = (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Static) !== 0;
    const method = methods.get(`${isStatic}${name}`) ?? { name, isStatic, declarations: [] };
    method.declarations.push(member);
    methods.set(`${isStatic}${name}`, method);
  }
  return [...methods.values()].filter(({ declarations }) => declarations.some((overload) => docComment(overload)));
}

/** Returns the code of a method. */
export const methodSignature = (method: ts.Declaration): string => method.getText();

const isDocumentedMethod = (member: ts.Node): boolean =>
  ts.isMethodDeclaration(member) && docComment(member) !== undefined;

function isHidden(member: ts.Node): boolean {
  if (ts.isClassElement(member) && member.name !== undefined && ts.isPrivateIdentifier(member.name)) return true;
  const isPrivate =
    ts.canHaveModifiers(member) && member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
  return isPrivate === true || docComment(member)?.tags.some((tag) => tag.name === "internal") === true;
}

/** Breaks the long lines of doc comments, which the formatter leaves as they are. */
const wrapComments = (code: string): string =>
  code.replaceAll(/^( *)\/\*\*\s([^]*?)\s*\*\//gm, (comment, indent: string, content: string) =>
    comment.split("\n").every((line) => line.length <= maxLineLength) ? comment : wrapComment(indent, content),
  );

/** Formats the content of a doc comment. Lines of one paragraph are joined first; items of a list and tags begin a new line. */
function wrapComment(indent: string, content: string): string {
  const texts = content.replaceAll(/^ *\* ?/gm, "").replaceAll(/(?<=\S)\n(?=\S)(?![-@|])/g, " ");
  const prefix = `${indent} * `;
  const lines = texts.split("\n").flatMap((text) => wrapText(text.trim(), maxLineLength - prefix.length));
  return [`${indent}/**`, ...lines.map((line) => (prefix + line).trimEnd()), `${indent} */`].join("\n");
}

function wrapText(text: string, maxLength: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > maxLength) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

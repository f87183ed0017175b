import ts from "typescript";
import { docComment } from "./collect-exports.ts";
import { maxLineLength } from "./format-code.ts";

/** Method of a class or an object type that has a section of its own. */
export interface Method {
  readonly name: string;
  readonly isStatic: boolean;
  readonly declarations: readonly ts.Declaration[];
}

/** Returns the code of a declaration without its body, doc comment and hidden members. Sections of methods have their comments. */
export function signature(declaration: ts.Declaration, name: string): string {
  const source = declaration.getSourceFile();
  if (ts.isVariableDeclaration(declaration)) return `const ${declaration.getText(source)};`;
  const edits = patternEdits(declaration);
  for (const member of membersOf(declaration)) {
    if (isHidden(member)) edits.push({ start: member.pos, end: member.end, text: "" });
    else if (isDocumentedMethod(member)) {
      edits.push({ start: member.pos, end: member.getStart(source), text: "\n    " });
    }
  }
  const text = applyEdits(declaration, edits);
  const declared = ts.getNameOfDeclaration(declaration)?.getText(source) ?? "";
  const localName = name.split(".").at(-1) ?? name;
  const withName = text.replace(/^(?:export )?(?:default )?(?:declare )?/, "").replace(declared, localName);
  // The compiler indents by four spaces, and the lines of a comment by one more.
  return wrapComments(
    withName.replaceAll(/^ +/gm, ({ length }) => " ".repeat((length - (length % 2)) / 2 + (length % 2))),
  );
}

/** Returns the public methods of a class or an object type that have a doc comment, with their overloads. */
export function documentedMethods(declaration: ts.Declaration): Method[] {
  const methods = new Map<string, { name: string; isStatic: boolean; declarations: ts.Declaration[] }>();
  for (const member of membersOf(declaration)) {
    if (!isMethod(member) || isHidden(member)) continue;
    const name = member.name.getText();
    const isStatic = (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Static) !== 0;
    const method = methods.get(`${isStatic}${name}`) ?? { name, isStatic, declarations: [] };
    method.declarations.push(member);
    methods.set(`${isStatic}${name}`, method);
  }
  return [...methods.values()].filter(({ declarations }) => declarations.some((overload) => docComment(overload)));
}

/** Returns the code of a method. */
export const methodSignature = (method: ts.Declaration): string => applyEdits(method, patternEdits(method));

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the edits that name destructured parameters: `options: Options` says as much as `{ a, b }: Options`. */
function patternEdits(declaration: ts.Node): Edit[] {
  const edits: Edit[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isParameter(node) && ts.isObjectBindingPattern(node.name)) {
      edits.push({ start: node.name.getStart(), end: node.name.end, text: "options" });
    }
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return edits;
}

function applyEdits(declaration: ts.Node, edits: readonly Edit[]): string {
  const source = declaration.getSourceFile().text;
  let text = "";
  let position = declaration.getStart();
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    // A hidden member contains others.
    if (edit.start < position) continue;
    text += source.slice(position, edit.start) + edit.text;
    position = edit.end;
  }
  return text + source.slice(position, declaration.end);
}

/** Returns the members of a class, of an interface, or of a type that is an object. */
function membersOf(declaration: ts.Node): readonly (ts.ClassElement | ts.TypeElement)[] {
  if (ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) return [...declaration.members];
  if (!ts.isTypeAliasDeclaration(declaration) || !ts.isTypeLiteralNode(declaration.type)) return [];
  return [...declaration.type.members];
}

const isMethod = (member: ts.Node): member is ts.MethodDeclaration | ts.MethodSignature =>
  ts.isMethodDeclaration(member) || ts.isMethodSignature(member);

const isDocumentedMethod = (member: ts.Node): boolean => isMethod(member) && docComment(member) !== undefined;

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

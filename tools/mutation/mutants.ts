import { stripTypeScriptTypes } from "node:module";

/** A program that differs from the original in one place, where a good test would notice. */
export interface Mutant {
  /** From 1. */
  readonly line: number;
  /** What was written, and what is written instead. */
  readonly from: string;
  readonly to: string;
  /** The whole program, types taken away. */
  readonly code: string;
}

const token =
  /\/\/[^\n]*|\/\*[^]*?\*\/|`(?:\\[^]|[^`\\])*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_$][\w$]*|\d[\w.]*|===|!==|=>|<=|>=|&&|\|\||\?\?|\*\*|\+\+|--|[+\-*/]=|\s+|[^]/gy;

const swaps: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
  "*": "/",
  true: "false",
  false: "true",
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  startsWith: "endsWith",
  endsWith: "startsWith",
  toLowerCase: "toUpperCase",
};

interface Token {
  readonly text: string;
  readonly at: number;
}

/** All mutants of a TypeScript program. */
export function mutantsOf(source: string): readonly Mutant[] {
  const code = stripTypeScriptTypes(source);
  const tokens = scan(code);
  return tokens.flatMap((current, index) =>
    [...mutationsAt(code, tokens, index)].map(([length, to]) => ({
      line: code.slice(0, current.at).split("\n").length,
      from: code.slice(current.at, current.at + length).replaceAll(/\s+/g, " "),
      to,
      code: code.slice(0, current.at) + to + code.slice(current.at + length),
    })),
  );
}

/** The tokens that do something: no blanks, comments and imports. A slash that begins a regular expression takes all of it along. */
function scan(code: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < code.length) {
    const before = tokens.at(-1)?.text;
    const isPattern =
      code[at] === "/" &&
      !/^\/[/*]/.test(code.slice(at, at + 2)) &&
      (before === undefined || /^[(,=:[!&|?{};]$|^(?:return|=>|&&|\|\|)$/.test(before));
    const text = isPattern ? pattern(code, at) : next(code, at);
    if (!/^\s|^\/[/*]/.test(text)) tokens.push({ text, at });
    at += text.length;
  }
  return tokens.filter(({ at: place }) => !/^(?:import|export \{|export \*)/.test(lineAt(code, place)));
}

function next(code: string, at: number): string {
  token.lastIndex = at;
  return token.exec(code)?.[0] ?? code.slice(at);
}

function pattern(code: string, at: number): string {
  return /^\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+\/\w*/.exec(code.slice(at))?.[0] ?? "/";
}

function lineAt(code: string, at: number): string {
  return code.slice(code.lastIndexOf("\n", at) + 1).trimStart();
}

function* mutationsAt(
  code: string,
  tokens: readonly Token[],
  index: number,
): Generator<readonly [length: number, to: string]> {
  const { text, at } = tokens[index] as Token;
  const before = tokens[index - 1]?.text ?? "";
  const swapped = Object.hasOwn(swaps, text) ? swaps[text] : undefined;
  const isName = /^[a-z]/i.test(text) && text !== "true" && text !== "false";
  const isBinary = /[\w)\]"'`]$/.test(before);
  if (swapped !== undefined && (isName ? before === "." : /^[<>+\-*]$/.test(text) ? isBinary : true))
    yield [text.length, swapped];
  if (text === "!" && !isBinary) yield [1, ""];
  if (/^\d+$/.test(text)) yield [text.length, String(Number(text) + 1)];
  if (/^"[^"]+"$/.test(text) && tokens[index + 1]?.text !== ":" && !isProse(tokens, index)) yield [text.length, '""'];
  if (text === "if" && tokens[index + 1]?.text === "(") {
    const open = (tokens[index + 1] as Token).at;
    const length = closing(code, open) + 1 - at;
    yield [length, "if (true)"];
    yield [length, "if (false)"];
  }
}

/** Whether a text is for people: a sentence, or the name of a key or a log, which only debuggers see. */
function isProse(tokens: readonly Token[], index: number): boolean {
  const call = tokens[index - 2]?.text;
  return (
    / \w+ /.test(tokens[index]?.text ?? "") ||
    (tokens[index - 1]?.text === "(" && (call === "Key" || call === "source"))
  );
}

/** Where the parenthesis closes that opens here. Good enough for code whose strings hold no lone parenthesis. */
function closing(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code[at] === "(") depth += 1;
    if (code[at] === ")" && --depth === 0) return at;
  }
  return code.length;
}

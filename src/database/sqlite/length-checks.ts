import { lengthCheckName } from "./classify.ts";

const columnPattern = /(?<![\w"])("?)(?!as\b)([A-Za-z_]\w*)\1(\s+(?:var)?char\s*\(\s*(\d+)\s*\))/gi;

/** Adds length checks to the `varchar(n)` and `char(n)` columns of a script, because SQLite ignores the length. */
export function addLengthChecks(script: string): string {
  if (!/\b(?:create|alter)\s+table\b/i.test(script)) return script;
  let text = "";
  let start = 0;
  for (const match of script.matchAll(columnPattern)) {
    const [declared, quote = "", name = "", , length = ""] = match;
    const end = columnEnd(script, match.index + declared.length);
    text += `${script.slice(start, end)} constraint ${lengthCheckName} check (length(${quote}${name}${quote}) <= ${length})`;
    start = end;
  }
  return text + script.slice(start);
}

const columnTokens = /\s+|--[^\n]*|\/\*[^]*?\*\/|'(?:''|[^'])*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|[^]/g;

/** Returns the end of the definition of a column. A check without a name would have the name of a check before it. */
function columnEnd(script: string, start: number): number {
  let [end, depth] = [start, 0];
  for (const { 0: token, index } of script.slice(start).matchAll(columnTokens)) {
    if (token === "(") depth++;
    else if (token === ")") depth--;
    if (depth < 0 || (depth === 0 && (token === "," || token === ";"))) break;
    if (!/^(?:\s|--|\/\*)/.test(token)) end = start + index + token.length;
  }
  return end;
}

import { stripTypeScriptTypes } from "node:module";

/** Removes the types of a source text, and keeps all positions. Suppresses Node's warning, as Node's own loader does. */
export function stripTypes(source: string): string {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

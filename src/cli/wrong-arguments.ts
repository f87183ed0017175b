/**
 * What `parseArgs` of Node found wrong with the arguments; `undefined` for every other error. Its advice to put an option
 * behind `--`, as a name that begins so, is left out: who mistyped an option means none.
 */
export function wrongArguments(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error && "code" in thrown)) return undefined;
  if (!String(thrown.code).startsWith("ERR_PARSE_ARGS_")) return undefined;
  return thrown.message.replace(/ To specify a positional argument .*$/s, "");
}

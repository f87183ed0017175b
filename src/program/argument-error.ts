/**
 * Returns the message of an error thrown by Node's `parseArgs`; `undefined` for every other error.
 *
 * Removes the advice to put the option after `--`: it does not help with a mistyped option.
 */
export function argumentErrorMessage(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error && "code" in thrown)) return undefined;
  if (!String(thrown.code).startsWith("ERR_PARSE_ARGS_")) return undefined;
  return thrown.message.replace(/ To specify a positional argument .*$/s, "");
}

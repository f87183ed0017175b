/** Text of a POSIX shell script. */
export interface Script {
  readonly text: string;
}

/** Value that `sh` inserts: quoted texts, a list of quoted texts, or a script as it is. */
export type ShellValue = string | number | Script | readonly string[];

/**
 * Creates a shell script. Every inserted value is quoted, so that the shell reads it as one word, whatever it contains.
 *
 * @example
 * sh`cd ${folder} && rm -rf ${names}`;
 */
export function sh(texts: TemplateStringsArray, ...values: readonly ShellValue[]): Script {
  return { text: String.raw({ raw: texts }, ...values.map(toShell)) };
}

function toShell(value: ShellValue): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return quote(value);
  return "text" in value ? value.text : value.map(quote).join(" ");
}

/**
 * Quotes a text as one word of a POSIX shell (IEEE 1003.1, 2.2.2). Nothing is special between single quotes.
 *
 * @throws TypeError for a NUL, which no argument can contain.
 */
export function quote(text: string): string {
  if (text.includes("\0")) throw new TypeError("An argument of a shell contains NUL");
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Command that ssh passes to the login shell of the host. It reads the script from its standard input, behind a line with
 * the number of its bytes, and leaves the rest of the input to the script.
 *
 * The text is constant and uses only what all shells share: no value of a deployment is parsed by an unknown login shell, or
 * visible in the list of processes.
 */
export const scriptReader: string = String.raw`exec sh -c 'IFS= read -r size && script=$(dd bs=1 count="$size" 2>/dev/null) && eval "$script"'`;

/** Returns the first bytes of the standard input of `scriptReader`. */
export function scriptInput({ text }: Script): string {
  const script = `set -eu\numask 027\nexport LC_ALL=C\n${text}\n`;
  return `${Buffer.byteLength(script)}\n${script}`;
}

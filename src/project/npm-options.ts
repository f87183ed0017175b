import type { Command } from "../core/index.ts";

/**
 * Prints a message and returns true if npm took options of a command for itself, as in `npm run app migrate --dry-run`:
 * npm reads options up to `--`, passes them to the script as variables, and often prints no warning.
 */
export async function refuseTakenOptions(
  command: Command.Command,
  args: readonly string[],
  output: Command.Output,
): Promise<boolean> {
  const details = typeof command.details === "function" ? await command.details() : command.details;
  const options = new Set(`${command.usage} ${details ?? ""}`.match(/(?<![\w-])--[a-z][a-z-]*/g));
  const taken = [...options].filter((option) => !isPassed(option, args) && isTaken(option));
  if (taken.length === 0) return false;
  const names = taken.join(" ");
  output.note(
    `npm took ${names} for itself, and the command did not run. Write -- in front of options:\n\n` +
      `  npm run app ${command.name}${args.length > 0 ? " …" : ""} -- ${names}\n\n` +
      "If it is a setting of npm, use npx limmat instead of npm run app.",
  );
  return true;
}

const isPassed = (option: string, args: readonly string[]): boolean =>
  args.some((arg) => arg === option || arg.startsWith(`${option}=`));

function isTaken(option: string): boolean {
  const name = option.slice("--".length);
  // npm reads --no-model as the option model with the value false, which it passes as an empty text.
  return settingOfNpm(name) !== undefined || (name.startsWith("no-") && settingOfNpm(name.slice("no-".length)) === "");
}

/** Returns a setting of npm, unless the environment has set it, as images of hosts do with `NPM_CONFIG_PRODUCTION`. */
function settingOfNpm(option: string): string | undefined {
  const name = `npm_config_${option.replaceAll("-", "_")}`;
  return Object.keys(process.env).includes(name.toUpperCase()) ? undefined : process.env[name];
}

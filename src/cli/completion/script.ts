import type { Command } from "../../core/index.ts";

/** Options of a completion script. */
export interface CompletionOptions {
  /** Short name of the program, which the user types in the shell. */
  readonly name: string;
  /** Command line that the short name runs: executable, flags, file. */
  readonly program: readonly string[];
  readonly commands: readonly Command.Command[];
}

/** Script generators by shell name. The scripts do not run the program to complete words. */
export const scripts: ReadonlyMap<string, (options: CompletionOptions) => string> = new Map([
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
]);

// Bash splits words at colons (COMP_WORDBREAKS), so the part before the last colon is removed from the replies.
function bash({ name, program, commands }: CompletionOptions): string {
  const names = commands.map((command) => command.name);
  const cases = commands.map(
    (command) => `    ${command.name}) words='${completionWords(command, names).join(" ")}' ;;`,
  );
  return `# To enable it, add to ~/.bashrc: eval "$(${program.map(quotePosix).join(" ")} completion bash ${name})"
${name}() { ${program.map(quotePosix).join(" ")} "$@"; }
_limmat_${name}() {
  local line="\${COMP_LINE:0:COMP_POINT}" words='' typed
  local word="\${line##*[[:space:]]}"
  read -ra typed <<< "$line"
  if (( \${#typed[@]} < 2 )) || [[ \${#typed[@]} == 2 && -n $word ]]; then words='${names.join(" ")}'
  else case "\${typed[1]}" in
${cases.join("\n")}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [[ $word == *:* && $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("\${COMPREPLY[@]#"\${word%:*}:"}"); fi
}
complete -o default -F _limmat_${name} ${name}`;
}

function zsh({ name, program, commands }: CompletionOptions): string {
  const names = commands.map((command) => command.name);
  const described = commands.map((command) =>
    quotePosix(`${command.name.replaceAll(":", "\\:")}:${command.description}`),
  );
  const cases = commands.map(
    (command) => `    ${command.name}) compadd -- ${completionWords(command, names).join(" ")} ;;`,
  );
  return `# To enable it, add to ~/.zshrc, after compinit: eval "$(${program.map(quotePosix).join(" ")} completion zsh ${name})"
${name}() { ${program.map(quotePosix).join(" ")} "$@" }
_limmat_${name}() {
  local -a commands
  commands=(
    ${described.join("\n    ")}
  )
  if (( CURRENT == 2 )); then _describe command commands
  else case $words[2] in
${cases.join("\n")}
  esac; _files; fi
}
compdef _limmat_${name} ${name}`;
}

function fish({ name, program, commands }: CompletionOptions): string {
  const names = commands.map((command) => command.name);
  const lines = commands.flatMap((command) => [
    `complete -c ${name} -f -n __fish_use_subcommand -a ${command.name} -d ${quoteFish(command.description)}`,
    `complete -c ${name} -n '__fish_seen_subcommand_from ${command.name}' -a '${completionWords(command, names).join(" ")}'`,
  ]);
  return `# To enable it, add to ~/.config/fish/config.fish: ${program.map(quoteFish).join(" ")} completion fish ${name} | source
function ${name}; ${program.map(quoteFish).join(" ")} $argv; end
${lines.join("\n")}`;
}

/**
 * Returns the words that can follow a command, as listed in its usage.
 *
 * Includes the first word of each alternative (`status` and `down` of `[--json] | status | down [<count>]`), its flags,
 * and all command names for `[command]`.
 */
function completionWords({ usage }: Command.Command, names: readonly string[]): string[] {
  const subcommands = usage
    .split(" | ")
    .flatMap((alternative) => /^[a-z][\w-]*(?:\|[a-z][\w-]*)*(?= |$)/.exec(alternative)?.[0].split("|") ?? []);
  const flags = usage.match(/--[a-z][\w-]*/g) ?? [];
  const commandNames = usage === "[command]" ? names : [];
  return [...new Set([...subcommands, ...commandNames, ...flags, "--help"])];
}

/** Quotes a text as one word of bash or zsh. */
const quotePosix = (text: string): string => (/^[\w./=@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Quotes a text as one word of fish. */
const quoteFish = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

import type { Command } from "../../core/index.ts";
import { wordsAfter } from "./words.ts";

/** What a script is made of. */
export interface Completion {
  /** What is typed in the shell. */
  readonly name: string;
  /** What runs then: the program, its flags, its file. */
  readonly program: readonly string[];
  readonly commands: readonly Command.Command[];
}

/** The scripts by the name of their shell. They run nothing while words are completed. */
export const scripts: ReadonlyMap<string, (completion: Completion) => string> = new Map([
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
]);

// Words are split at colons by bash, so that what stands before the last one must not be given again.
function bash({ name, program, commands }: Completion): string {
  const names = commands.map((command) => command.name);
  const cases = commands.map((command) => `    ${command.name}) words='${wordsAfter(command, names).join(" ")}' ;;`);
  return `# To use it, write in ~/.bashrc: eval "$(${program.map(posix).join(" ")} completion bash ${name})"
${name}() { ${program.map(posix).join(" ")} "$@"; }
_limmat_${name}() {
  local line="\${COMP_LINE:0:COMP_POINT}" words='' given
  local word="\${line##*[[:space:]]}"
  read -ra given <<< "$line"
  if (( \${#given[@]} < 2 )) || [[ \${#given[@]} == 2 && -n $word ]]; then words='${names.join(" ")}'
  else case "\${given[1]}" in
${cases.join("\n")}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [[ $word == *:* && $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("\${COMPREPLY[@]#"\${word%:*}:"}"); fi
}
complete -o default -F _limmat_${name} ${name}`;
}

function zsh({ name, program, commands }: Completion): string {
  const names = commands.map((command) => command.name);
  const described = commands.map((command) => posix(`${command.name.replaceAll(":", "\\:")}:${command.description}`));
  const cases = commands.map((command) => `    ${command.name}) compadd -- ${wordsAfter(command, names).join(" ")} ;;`);
  return `# To use it, write in ~/.zshrc, after compinit: eval "$(${program.map(posix).join(" ")} completion zsh ${name})"
${name}() { ${program.map(posix).join(" ")} "$@" }
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

function fish({ name, program, commands }: Completion): string {
  const names = commands.map((command) => command.name);
  const lines = commands.flatMap((command) => [
    `complete -c ${name} -f -n __fish_use_subcommand -a ${command.name} -d ${fishText(command.description)}`,
    `complete -c ${name} -n '__fish_seen_subcommand_from ${command.name}' -a '${wordsAfter(command, names).join(" ")}'`,
  ]);
  return `# To use it, write in ~/.config/fish/config.fish: ${program.map(fishText).join(" ")} completion fish ${name} | source
function ${name}; ${program.map(fishText).join(" ")} $argv; end
${lines.join("\n")}`;
}

/** A text as one word of bash or zsh. */
const posix = (text: string): string => (/^[\w./=@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** A text as one word of fish. */
const fishText = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

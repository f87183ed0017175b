import type { Command } from "limmat";

/** Commands of the application. */
export const commands: readonly Command.Command[] = [];

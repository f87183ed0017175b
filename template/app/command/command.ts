import { greetingAdd } from "./greeting-add.ts";

/** The commands of the application. */
export const commands = [greetingAdd];

import * as Greeting from "../app/domain/greeting/greeting.ts";

/** Greetings to begin with, unless there are some already. */
export async function greetings(): Promise<void> {
  if ((await Greeting.any()) !== undefined) return;
  for (const text of ["Grüezi", "Bonjour", "Buongiorno", "Allegra"]) await Greeting.insert({ text });
}

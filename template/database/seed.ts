import * as Greeting from "../app/domain/greeting/greeting.ts";

/** Creates the first greetings, unless there are some. */
export async function greetings(): Promise<void> {
  if ((await Greeting.random()) !== undefined) return;
  for (const text of ["Grüezi", "Bonjour", "Buongiorno", "Allegra"]) await Greeting.insert({ text });
}

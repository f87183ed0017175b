import { Random, Time } from "limmat";
import type { Greeting, Input } from "./entity.ts";
import * as repository from "./repository.ts";

export { type Greeting, type Input, schema } from "./entity.ts";

/** Returns a random greeting, or `undefined` if there are none. */
export async function random(): Promise<Greeting | undefined> {
  const greetings = await repository.all();
  return greetings.length === 0 ? undefined : greetings[Random.int(0, greetings.length - 1)];
}

/** Creates a greeting. */
export async function insert(input: Input): Promise<Greeting> {
  const now = Time.now();
  const greeting = { ...input, id: Random.uuid(), created_at: now, updated_at: now };
  await repository.insert(greeting);
  return greeting;
}

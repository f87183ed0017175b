// Hono on Bun.
import { contestant } from "../../harness/contestant.mjs";
import { applications } from "../hono.mjs";

const started = Object.entries(applications).map(([name, make]) => [
  name,
  async () => Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (await make()).fetch }).port,
]);

await contestant(Object.fromEntries(started));

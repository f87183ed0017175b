import { parseArgs } from "node:util";
import { Command } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import type { Json, StoredToken, StoredTokenService, TokenData, TokenService } from "./contract.ts";
import { mostListed } from "./store.ts";

type Context = Command.CommandContext;
type Answer = Promise<Command.Done | undefined>;

/** The work of `token.create`. */
export async function create(service: TokenService, args: readonly string[], { output }: Context): Answer {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      owner: { type: "string" },
      name: { type: "string" },
      ability: { type: "string", multiple: true },
      expires: { type: "string" },
      data: { type: "string" },
      json: { type: "boolean" },
    },
  });
  const [purpose, ...rest] = positionals;
  if (purpose === undefined || rest.length > 0) return undefined;
  const { owner, name, ability, expires, data = "{}", json } = values;
  const record = recordOf(data);
  if (record === undefined) {
    output.note("--data must be a JSON object.");
    return undefined;
  }
  const expiresIn = expires === undefined ? Time.days(1) : Time.parseDuration(expires);
  const token = await service.create(record, {
    purpose,
    expiresIn,
    ...(owner === undefined ? {} : { owner }),
    ...(name === undefined ? {} : { name }),
    ...(ability === undefined ? {} : { abilities: ability }),
  });
  if (json === true) output.print(JSON.stringify({ token, expires_at: new Date(Time.timestamp() + expiresIn) }));
  else {
    output.print(token);
    output.note(`Valid for ${Time.formatDuration(expiresIn)}. It is shown this once: keep it where secrets are kept.`);
  }
  return Command.done;
}

/** The work of `token.list`. */
export async function list(
  service: TokenService | StoredTokenService,
  args: readonly string[],
  context: Context,
): Answer {
  if (!("list" in service)) return noList(context);
  const { output } = context;
  const { owner, purpose, json } = parseArgs({
    args: [...args],
    options: { owner: { type: "string" }, purpose: { type: "string" }, json: { type: "boolean" } },
  }).values;
  const tokens = await service.list({
    ...(owner === undefined ? {} : { owner }),
    ...(purpose === undefined ? {} : { purpose }),
  });
  if (json === true) output.print(JSON.stringify(tokens));
  else if (tokens.length === 0) output.print("There are no tokens.");
  for (const token of json === true ? [] : tokens) output.print(lineOf(token));
  if (tokens.length === mostListed) {
    output.note("These are the newest 1,000, and there may be more. Narrow them down with --owner and --purpose.");
  }
  return Command.done;
}

function noList({ output }: Context): undefined {
  output.note("These tokens are kept nowhere, so they cannot be listed. token.revoke --owner ends those of an owner.");
}

/** The work of `token.revoke`. */
export async function revoke(
  service: TokenService | StoredTokenService,
  args: readonly string[],
  context: Context,
): Answer {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { owner: { type: "string" }, purpose: { type: "string" } },
  });
  const { owner, purpose } = values;
  const [id, ...rest] = positionals;
  if (rest.length > 0 || (id === undefined) === (owner === undefined)) return undefined;
  if (owner !== undefined) {
    await service.deactivateAll({ owner, ...(purpose === undefined ? {} : { purpose }) });
    context.output.print("Ended the tokens of this owner.");
    return Command.done;
  }
  if (purpose !== undefined) return undefined;
  if (!("list" in service)) return noList(context);
  const isEnded = await service.deactivateById(id ?? "");
  context.output.print(isEnded ? "Ended." : "There is no active token with this id.");
  return Command.done;
}

/** The work of `token.purge`. */
export async function purge(service: TokenService, args: readonly string[], { output }: Context): Answer {
  const isJson = args[0] === "--json";
  if (args.length > (isJson ? 1 : 0)) return undefined;
  const count = await service.purge();
  output.print(isJson ? JSON.stringify({ purged: count }) : `Deleted ${counted(count)}.`);
  return Command.done;
}

function recordOf(text: string): TokenData | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as TokenData) : undefined;
  } catch {
    return undefined;
  }
}

function lineOf(token: StoredToken): string {
  const state = token.status === "active" && token.expires_at <= Time.now() ? "expired" : token.status;
  const used = token.last_used_at === undefined ? "never used" : `used ${token.last_used_at.toISOString()}`;
  const facts = [
    token.purpose,
    ...(token.owner === undefined ? [] : [`of ${token.owner}`]),
    ...(token.name === undefined ? [] : [JSON.stringify(token.name)]),
    ...(token.abilities.length === 0 ? [] : [token.abilities.join(" ")]),
    `until ${token.expires_at.toISOString()}`,
    used,
  ];
  return `${state.padEnd(8)}  ${token.id}  ${facts.join("  ")}`;
}

const counted = (count: number): string => (count === 1 ? "1 expired token" : `${count} expired tokens`);

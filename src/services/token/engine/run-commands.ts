import { parseArgs } from "node:util";
import { Command, type Service } from "../../../core/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { Json, StoredToken, StoredTokenService, TokenData, TokenService } from "../contract.ts";
import { maxListedTokens } from "../store/contract.ts";
import { isUserService } from "./owner.ts";

type Args = readonly string[];
type CommandContext = Command.CommandContext;
type CommandResult = Promise<Command.Done | undefined>;
type AnyTokenService = TokenService | StoredTokenService;

export const createDetails: string =
  "The token goes to the standard output and nowhere else. It is valid for a day, or as long as\n" +
  "--expires says (30m, 12h, 90d). For example:\n" +
  "  token.create api --owner ada@example.com --name laptop --ability todos:read --expires 90d";

/** Returns the id of the user of an e-mail address, if there are users, else the argument. @throws E_USER_NOT_FOUND */
async function resolveOwner(argument: string, services: readonly Service.Service[]): Promise<string> {
  const userService = argument.includes("@") ? services.find(isUserService) : undefined;
  return userService === undefined ? argument : (await userService.findByEmail(argument)).id;
}

export async function createToken(
  service: TokenService,
  args: Args,
  { output, services }: CommandContext,
): CommandResult {
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
  const [purpose, ...excessArgs] = positionals;
  if (purpose === undefined || excessArgs.length > 0) return undefined;
  const { owner, name, ability, expires, data: dataText = "{}", json } = values;
  const data = parseData(dataText);
  if (data === undefined) {
    output.note("--data must be a JSON object.");
    return undefined;
  }
  const expiresInMs = expires === undefined ? Time.days(1) : TimeInternals.parseDuration(expires);
  const token = await service.create(data, {
    ctx: [["command", "token.create"]],
    purpose,
    expiresInMs,
    ...(owner === undefined ? {} : { owner: await resolveOwner(owner, services) }),
    ...(name === undefined ? {} : { name }),
    ...(ability === undefined ? {} : { abilities: ability }),
  });
  if (json === true)
    output.print(JSON.stringify({ token, expires_at: new Date(TimeInternals.timestamp() + expiresInMs) }));
  else {
    output.print(token);
    output.note(`Valid for ${TimeInternals.formatDuration(expiresInMs)}. It is shown only once: store it as a secret.`);
  }
  return Command.done;
}

export async function listTokens(service: AnyTokenService, args: Args, context: CommandContext): CommandResult {
  if (!("list" in service)) return noteMissingRecords(context);
  const { output, services } = context;
  const { owner, purpose, json } = parseArgs({
    args: [...args],
    options: { owner: { type: "string" }, purpose: { type: "string" }, json: { type: "boolean" } },
  }).values;
  const tokens = await service.list({
    ...(owner === undefined ? {} : { owner: await resolveOwner(owner, services) }),
    ...(purpose === undefined ? {} : { purpose }),
  });
  if (json === true) output.print(JSON.stringify(tokens));
  else if (tokens.length === 0) output.print("There are no tokens.");
  for (const token of json === true ? [] : tokens) output.print(formatToken(token));
  if (tokens.length === maxListedTokens) {
    output.note("These are the newest 1,000 tokens; there may be more. Narrow the list with --owner and --purpose.");
  }
  return Command.done;
}

function noteMissingRecords({ output }: CommandContext): undefined {
  output.note("This service stores no records of its tokens. Use token.revoke --owner to end the tokens of an owner.");
}

export async function revokeTokens(service: AnyTokenService, args: Args, context: CommandContext): CommandResult {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { owner: { type: "string" }, purpose: { type: "string" } },
  });
  const { owner, purpose } = values;
  const ctx = [["command", "token.revoke"]] as const;
  const [id, ...excessArgs] = positionals;
  if (excessArgs.length > 0 || (id === undefined) === (owner === undefined)) return undefined;
  if (owner !== undefined) {
    await service.deactivateAll({
      ctx,
      owner: await resolveOwner(owner, context.services),
      ...(purpose === undefined ? {} : { purpose }),
    });
    context.output.print("Ended the tokens of this owner.");
    return Command.done;
  }
  if (purpose !== undefined) return undefined;
  if (!("list" in service)) return noteMissingRecords(context);
  const isEnded = await service.deactivateById(id ?? "", { ctx });
  context.output.print(isEnded ? "Ended." : "There is no active token with this id.");
  return Command.done;
}

export async function purgeTokens(service: TokenService, args: Args, { output }: CommandContext): CommandResult {
  const isJson = args[0] === "--json";
  if (args.length > (isJson ? 1 : 0)) return undefined;
  const count = await service.purge();
  const noun = count === 1 ? "expired token" : "expired tokens";
  output.print(isJson ? JSON.stringify({ purged: count }) : `Deleted ${count} ${noun}.`);
  return Command.done;
}

function parseData(text: string): TokenData | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as TokenData) : undefined;
  } catch {
    return undefined;
  }
}

function formatToken(token: StoredToken): string {
  const state = token.status === "active" && token.expires_at <= Time.now() ? "expired" : token.status;
  const lastUse = token.last_used_at === undefined ? "never used" : `used ${token.last_used_at.toISOString()}`;
  const columns = [
    state.padEnd(8),
    token.id,
    token.purpose,
    token.owner === undefined ? "" : `of ${token.owner}`,
    token.name === undefined ? "" : JSON.stringify(token.name),
    token.abilities.join(" "),
    `until ${token.expires_at.toISOString()}`,
    lastUse,
  ];
  return columns.filter((column) => column !== "").join("  ");
}

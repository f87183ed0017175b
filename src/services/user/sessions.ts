import { createHash } from "node:crypto";
import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { type Database, deleteExpired, type OperationOptions, Row, sql, type Statement } from "../../database/index.ts";
import { Log } from "../../log/index.ts";
import { Random } from "../../random/index.ts";
import { Schema } from "../../schema/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import type { UserService } from "./contract.ts";
import { type CallOptions, hasId, sessionUserRow, type UserContext, userRow } from "./users.ts";

const log = Log.source("limmat.user");

/** Configuration of sessions. */
export const sessionSettings: Configuration.Group<{ readonly lifetimeMs: ConfigurationField<number> }> =
  Configuration.group({
    lifetimeMs: Configuration.duration("USER_SESSION_LIFETIME", {
      description: "time after login until the session ends, active or not",
      default: Time.days(30),
      // Databases cannot represent dates much further away.
      validate: (life) => (life > 0 && life <= Time.days(36_525) ? undefined : "must be from 1ms to a hundred years"),
    }),
  });

/** Returns the time of creation at or before which sessions have expired. */
export const sessionCutoff = (): Date => new Date(TimeInternals.timestamp() - sessionSettings.read().lifetimeMs);

export function deleteExpiredSessions(database: Database, options: OperationOptions): Promise<number> {
  return deleteExpired(database, { table: "user_sessions", column: "created_at", until: sessionCutoff() }, options);
}

const sessionRow = Row.record({
  id: Row.uuid,
  device: Row.optional(Row.text),
  created_at: Row.timestamp,
  last_seen_at: Row.optional(Row.timestamp),
});

const endedRow = Row.record({ user_id: Row.uuid, device: Row.optional(Row.text) });
const maxRecordedDevices = 10;

const hasUserId = (id: string): Statement<unknown> => hasId(id, sql`user_id`);

const lastSeenIntervalMs = Time.hours(1);

type SessionOperations = Pick<
  UserService,
  "startSession" | "findBySessionOpt" | "endSession" | "endSessions" | "listSessions" | "endSessionById"
>;

/** Creates the session operations. Each session is a row, so ending it invalidates every copy of its id. */
export function userSessions({
  database,
  users: { requireUnchanged },
  audit,
  endWithoutSession,
  change,
}: Pick<UserContext, "database" | "users" | "audit" | "endWithoutSession" | "change">): SessionOperations {
  /** Writes once per hour, not per request. The condition ensures that one of several concurrent requests writes. */
  const updateLastSeen = async (session: string, options: CallOptions): Promise<void> => {
    const now = Time.now();
    const hourAgo = new Date(now.getTime() - lastSeenIntervalMs);
    const update = sql`update user_sessions set last_seen_at = ${now}
      where id = ${session} and (last_seen_at is null or last_seen_at <= ${hourAgo})`;
    try {
      // The savepoint keeps a surrounding transaction usable after a failure.
      await database.transaction(() => database.exec(update, options), options);
    } catch (error) {
      // The session is valid either way.
      log.warning("The time when a session was last seen could not be updated", { error });
    }
  };

  /** Deletes sessions of one user, and records it. */
  const end = async (
    action: "logout" | "session.end",
    condition: Statement<unknown>,
    options: CallOptions,
  ): Promise<void> => {
    if (audit === undefined) {
      await database.exec(sql`delete from user_sessions where ${condition}`, options);
      return;
    }
    await change(async (record) => {
      const ended = await database.collect(
        sql.row(endedRow)`delete from user_sessions where ${condition} returning ${sql.columns(endedRow)}`,
        options,
      );
      const [first] = ended;
      if (first === undefined) return;
      const devices = ended.map(({ device = null }) => device).slice(0, maxRecordedDevices);
      await record(action, { id: first.user_id }, options, { details: { sessions: ended.length, devices } });
      await endWithoutSession(options);
    }, options);
  };

  return {
    startSession: async (user, options) => {
      const session = Random.uuid();
      const now = Time.now();
      const device = deviceName(options?.userAgent ?? "");
      await database.transaction(async () => {
        // Changes that end sessions lock the user first: either they see this session, or it sees them.
        await requireUnchanged(user, options);
        await database.exec(
          sql`insert into user_sessions (id, user_id, device, created_at, last_seen_at)
            values (${session}, ${user.id.toLowerCase()}, ${device ?? null}, ${now}, ${now})`,
          options,
        );
      }, options);
      return session;
    },
    findBySessionOpt: async (text, options) => {
      if (!Schema.isUuid(text)) return undefined;
      const session = text.toLowerCase();
      const row = await database.findOpt(
        sql.row(
          sessionUserRow,
        )`select ${sql.columns(userRow, "u")}, s.last_seen_at from user_sessions s join user_users u on u.id = s.user_id
          where s.id = ${session} and s.created_at > ${sessionCutoff()} and u.status = 'active'`,
        options,
      );
      if (row === undefined) return undefined;
      const { last_seen_at: lastSeen, ...user } = row;
      if (lastSeen === undefined || lastSeen.getTime() <= TimeInternals.timestamp() - lastSeenIntervalMs) {
        await updateLastSeen(session, options);
      }
      return user;
    },
    endSession: async (session, options) => {
      if (Schema.isUuid(session)) await end("logout", sql`id = ${session.toLowerCase()}`, options);
    },
    endSessions: async ({ id }, options) => {
      const except = options?.except;
      const others = except !== undefined && Schema.isUuid(except) ? sql` and id <> ${except.toLowerCase()}` : sql``;
      await end("session.end", sql`${hasUserId(id)}${others}`, options);
    },
    listSessions: async ({ id }, options) => {
      const current = options?.current?.toLowerCase();
      const rows = await database.collect(
        sql.row(sessionRow)`select ${sql.columns(sessionRow)} from user_sessions
          where ${hasUserId(id)} and created_at > ${sessionCutoff()}
          order by coalesce(last_seen_at, created_at) desc, created_at desc, id`,
        options,
      );
      return rows.map(({ id: session, device, created_at, last_seen_at = created_at }) => ({
        id: publicSessionId(session),
        device,
        created_at,
        last_seen_at,
        isCurrent: session === current,
      }));
    },
    endSessionById: async ({ id }, publicId, options) => {
      const sessionIds = await database.collect(
        sql.value(Row.uuid)`select id from user_sessions where ${hasUserId(id)}`,
        options,
      );
      for (const session of sessionIds) {
        if (publicSessionId(session) === publicId) await end("session.end", sql`id = ${session}`, options);
      }
    },
  };
}

type NamePatterns = readonly (readonly [pattern: RegExp, name: string])[];

// The first match wins. Browsers also send the names of older browsers, so newer ones come first.
const browsers: NamePatterns = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|OPiOS)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/(?:Chrome|Chromium|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: NamePatterns = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

const maxUserAgentLength = 512;

/**
 * Returns browser and operating system of a `User-Agent` header, such as "Firefox on Windows", or `undefined` if it
 * contains neither. The name only helps owners recognise their devices: browsers can send any text, and an iPad claims to
 * be a Mac.
 */
export function deviceName(userAgent: string): string | undefined {
  const text = userAgent.slice(0, maxUserAgentLength);
  const findName = (patterns: NamePatterns): string | undefined =>
    patterns.find(([pattern]) => pattern.test(text))?.[1];
  const names = [findName(browsers), findName(systems)].filter((name) => name !== undefined);
  return names.length === 0 ? undefined : names.join(" on ");
}

/** Hashes the id of a session for pages and logs. The id itself is a secret that only the cookie may contain. */
function publicSessionId(session: string): string {
  return createHash("sha256").update(session).digest("base64url");
}

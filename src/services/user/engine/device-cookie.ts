import { Configuration } from "../../../config/index.ts";
import { constantTimeEqual, Random, RandomInternals } from "../../../random/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";

const deviceKeyPurpose = "user-device";
const deviceLifetimeMs = Time.days(365);
/** Maximum number of accounts that one browser is known to. */
const maxAccounts = 4;
const entryPattern = /^([0-9a-z]{1,11})\.([\w-]{43})\.([\w-]{43})$/;

/** Maximum age of a device cookie, in seconds. */
export const deviceCookieMaxAge: number = deviceLifetimeMs / 1000;

/**
 * Returns the id of the device that a device cookie names for an account, or `undefined` if this browser did not log in to
 * the account within a year.
 *
 * The cookie contains up to four entries `time.id.mac`, separated by colons. The HMAC-SHA256 covers time, id and account,
 * so an entry is valid for one account and does not reveal which (OWASP "Device Cookies").
 */
export function findDevice(cookie: string | undefined, emailKey: string): string | undefined {
  for (const entry of entriesOf(cookie)) {
    const [, time = "", id = "", mac = ""] = entryPattern.exec(entry) ?? [];
    const ageMs = TimeInternals.timestamp() - Number.parseInt(time, 36);
    if (Math.abs(ageMs) < deviceLifetimeMs && isSigned(mac, time, id, emailKey)) return id;
  }
  return undefined;
}

/** Returns a device cookie that also names this browser for an account. The id of a device that is known stays. */
export function addDevice(cookie: string | undefined, emailKey: string): string {
  const id = findDevice(cookie, emailKey) ?? Random.token();
  const time = TimeInternals.timestamp().toString(36);
  const entry = `${time}.${id}.${sign(time, id, emailKey, Configuration.secretKeys(deviceKeyPurpose).current)}`;
  const others = entriesOf(cookie).filter((other) => entryPattern.exec(other)?.[2] !== id);
  return [entry, ...others].slice(0, maxAccounts).join(":");
}

const entriesOf = (cookie = ""): readonly string[] =>
  cookie.split(":", maxAccounts).filter((entry) => entryPattern.test(entry));

const isSigned = (mac: string, time: string, id: string, emailKey: string): boolean =>
  Configuration.secretKeys(deviceKeyPurpose).all.some((key) => constantTimeEqual(mac, sign(time, id, emailKey, key)));

const sign = (time: string, id: string, emailKey: string, key: Buffer): string =>
  RandomInternals.hmacSha256(key, `${time}\n${id}\n${emailKey}`);

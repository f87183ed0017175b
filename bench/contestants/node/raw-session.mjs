// Signed cookie sessions and masked CSRF tokens of the hand-written site.
import { hash, randomFillSync, timingSafeEqual } from "node:crypto";
import { secret } from "../../work/data.mjs";

// HMAC-SHA256 (RFC 2104) of two one-shot hashes: the key with both paddings, prepared once, each before its message.
const [inner, outer] = [Buffer.alloc(64 + 4096, 0x36), Buffer.alloc(64 + 32, 0x5c)];
Buffer.from(secret).forEach((byte, index) => {
  inner[index] ^= byte;
  outer[index] ^= byte;
});

/** Signs a text of one-byte characters. Cookies have at most 4 kB. */
function sign(value) {
  const end = 64 + inner.write(value, 64, "latin1");
  outer.write(hash("sha256", inner.subarray(0, end), "binary"), 64, "binary");
  return hash("sha256", outer, "base64url");
}

// About as many verified sessions as limmat remembers in its 4 MiB. Once they are full, one in four new sessions replaces a
// random one, so that one visitor too many does not displace all others.
const maxSessions = 5000;
const sessions = new Map();
const texts = [];

function remember(text, session) {
  if (texts.length < maxSessions) texts.push(text);
  else {
    if (Math.random() >= 1 / 4) return session;
    const index = Math.floor(Math.random() * maxSessions);
    sessions.delete(texts[index]);
    texts[index] = text;
  }
  sessions.set(text, session);
  return session;
}

const anonymous = Object.freeze({});
const name = "session=";

/** Returns the session of the cookie, or an empty one if the cookie is missing or its signature is wrong. Never changed. */
export function readSession(header) {
  if (header === undefined) return anonymous;
  let start = header.startsWith(name) ? 0 : header.indexOf(`; ${name}`) + 2;
  if (start === 1) return anonymous;
  start += name.length;
  const end = header.indexOf(";", start);
  const text = end === -1 ? header.slice(start) : header.slice(start, end);
  return sessions.get(text) ?? verify(text) ?? anonymous;
}

function verify(text) {
  const dot = text.indexOf(".");
  const value = text.slice(0, dot);
  if (dot === -1 || text.length > 4096) return undefined;
  const expected = Buffer.from(sign(value));
  const sent = Buffer.from(text.slice(dot + 1));
  if (expected.length !== sent.length || !timingSafeEqual(expected, sent)) return undefined;
  return remember(text, JSON.parse(Buffer.from(value, "base64url").toString()));
}

/** Returns the header line that stores a session. */
export function sessionLine(session) {
  const value = Buffer.from(JSON.stringify(session)).toString("base64url");
  return `set-cookie: session=${value}.${sign(value)}; Path=/; HttpOnly; SameSite=Lax\r\n`;
}

const pool = Buffer.alloc(8192);
let used = pool.length;

/** Returns 32 random bytes, valid until the next call. */
function randomBytes() {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.subarray(used, (used += 32));
}

export const newSecret = () => randomBytes().toString("base64url");

const token = Buffer.alloc(64);

/** Returns the secret of the session with a new mask, so that no two pages contain the same bytes (BREACH). */
export function maskedToken(session) {
  const mask = randomBytes();
  token.set(mask);
  token.write(session.csrf, 32, "base64url");
  for (let n = 0; n < 32; n += 1) token[32 + n] ^= mask[n];
  return token.toString("base64url");
}

export function isToken(session, sent) {
  if (typeof sent !== "string" || session.csrf === undefined) return false;
  const bytes = Buffer.from(sent, "base64url");
  if (bytes.length !== 64) return false;
  for (let n = 0; n < 32; n += 1) bytes[32 + n] ^= bytes[n];
  return timingSafeEqual(bytes.subarray(32), Buffer.from(session.csrf, "base64url"));
}

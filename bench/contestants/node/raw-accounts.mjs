// Accounts of the hand-written site: passwords hashed with argon2id of node:crypto.
import { argon2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { connect } from "./postgresql.mjs";

const derive = promisify(argon2);
const hash = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/;
// Hash that the password of an unknown visitor is compared with.
const absent = { password: `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}` };

async function verify(text, password) {
  const [, memory, passes, parallelism, salt, expected] = hash.exec(text);
  const tag = Buffer.from(expected, "base64");
  const found = await derive("argon2id", {
    message: password,
    nonce: Buffer.from(salt, "base64"),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: tag.length,
  });
  return timingSafeEqual(found, tag);
}

/** Returns the queries of the table of accounts. */
export async function openAccounts() {
  const query = await connect();
  return {
    async login(email, password) {
      const [account] = await query("login", "select id, password from accounts where email = $1", [email]);
      const isRight = await verify((account ?? absent).password, password);
      return isRight ? account?.id : undefined;
    },
    async email(id) {
      const [account] = await query("account", "select email from accounts where id = $1", [id]);
      return account.email;
    },
  };
}

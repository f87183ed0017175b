// Accounts of the hand-written site: passwords hashed with argon2id of the fastest package.
import { verify } from "@node-rs/argon2";
import { connect } from "./postgresql.mjs";

// Hash that the password of an unknown visitor is compared with.
const absent = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

const byEmail = { name: "login", text: "select id, password from accounts where email = $1" };
const byId = { name: "account", text: "select email from accounts where id = $1" };

/** Returns the queries of the table of accounts. */
export async function openAccounts() {
  const query = await connect();
  return {
    async login(email, password) {
      const [[id, text] = [undefined, absent]] = await query(byEmail, [email]);
      return (await verify(text, password)) ? id : undefined;
    },
    async email(id) {
      const [[email]] = await query(byId, [id]);
      return email;
    },
  };
}

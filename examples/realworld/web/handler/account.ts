import { User, Web } from "limmat";
import * as Account from "../../app/domain/account/account.ts";
import { changes, credentials, registration } from "../../app/domain/account/entity.ts";
import * as Document from "../view/document.ts";
import { invalid } from "../view/error.ts";
import { withBody } from "./input.ts";
import { requestToken, wrongCredentials } from "./authentication.ts";

export const register = withBody("user", registration.decodeJson, async (_request, input) => {
  const result = await Account.register(input);
  return result.ok ? respondWithToken(result.value, 201) : invalid(result.error);
});

export const login = withBody("user", credentials.decodeJson, async (request: Web.Request, { email, password }) => {
  const account = await Account.login(email, password, User.Web.client(request));
  return account === undefined ? wrongCredentials() : respondWithToken(account, 200);
});

export async function show(request: Web.Request): Promise<Web.Response> {
  return Web.Response.json(
    Document.user(await Account.find(await User.Web.userOrThrow(request)), requestToken(request)),
  );
}

export const update = withBody("user", changes.decodeJsonPartial, async (request: Web.Request, input) => {
  if (Object.keys(input).length === 0) return invalid({ user: "Please send at least one field" });
  const result = await Account.update(await User.Web.userOrThrow(request), input);
  if (!result.ok) return invalid(result.error);
  return input.password === undefined
    ? Web.Response.json(Document.user(result.value, requestToken(request)))
    : respondWithToken(result.value, 200);
});

/** Responds with an account and a new token. */
const respondWithToken = async (account: Account.Account, status: number): Promise<Web.Response> =>
  Web.Response.json(Document.user(account, await Account.createToken(account)), { status });

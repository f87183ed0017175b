import { Migration, Password, Schema, User, Web } from "limmat";
import { nodeRsArgon2 } from "limmat/password/node-rs";
import { accounts, password } from "../../work/data.mjs";
import { site } from "./limmat-site.mjs";

const credentials = Schema.record({ email: Schema.string(), password: Schema.string({ sensitive: true }) });

/** Returns the site with users and login, with the faster backend that the guide offers. */
export function login(database) {
  Password.useBackend(nodeRsArgon2());
  const users = User.service({ database });
  const pages = [
    Web.post("/login", async (request) => {
      const { value } = credentials.decode(await request.form());
      const result = value && (await users.login(value.email, value.password, { client: User.Web.client(request) }));
      if (!result?.ok) return Web.Response.text("Wrong e-mail address or password", { status: 422 });
      return User.Web.login(result.value, request, Web.Response.redirect("/account"));
    }),
    Web.get("/account", async (request) => {
      const user = await User.Web.user(request);
      return user === undefined ? Web.Response.text("", { status: 401 }) : Web.Response.text(user.email);
    }),
  ];
  return {
    routes: [Web.choose([...site().routes, ...pages], { middlewares: [User.Web.middleware(users)] })],
    services: [database, Migration.service({ database, onPending: "run" }), users],
    prepare: () => Promise.all(accounts.map((email) => users.createUser({ email, password }))),
  };
}

import { Time, Token, Web } from "limmat";
import * as Idempotency from "limmat/idempotency";
import { idempotency, token } from "../service/service.ts";
import * as Greeting from "../web/handler/greeting.ts";
import { hello } from "../web/handler/hello.ts";
import { welcome } from "../web/handler/welcome.ts";

// Of all pages. A form that is sent twice is processed once.
const middlewares = [...Web.Middleware.site(), Idempotency.Web.forms(idempotency)];

const site = Web.choose([Web.get("/", welcome)], { middlewares });

// For clients with an API token: npm run app token.create api
const tokenApi = Web.choose([Web.post("/greetings", Greeting.create)], {
  middlewares: [Token.Web.bearer({ token, purpose: "api" })],
});

const api = Web.choose([Web.get("/hello/:name", hello), tokenApi], {
  scope: "/api",
  middlewares: [...Web.Middleware.api(), Web.Middleware.requestLimit({ limit: 100, periodMs: Time.minutes(1) })],
});

export const router = Web.choose([site, api, Web.Health.router()]);

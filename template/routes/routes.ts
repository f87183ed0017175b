import { Time, Token, Web } from "limmat";
import { token } from "../service/service.ts";
import * as Greeting from "../web/handler/greeting.ts";
import { hello } from "../web/handler/hello.ts";
import { welcome } from "../web/handler/welcome.ts";

const site = Web.choose([Web.get("/", welcome)], { middlewares: Web.Middleware.site() });

// For clients with an API token: npm run app token.create api
const tokenApi = Web.choose([Web.post("/greetings", Greeting.create)], {
  middlewares: [Token.Web.bearer({ token, purpose: "api" })],
});

const api = Web.choose([Web.get("/hello/:name", hello), tokenApi], {
  scope: "/api",
  middlewares: [...Web.Middleware.api(), Web.Middleware.requestLimit({ limit: 100, periodMs: Time.minutes(1) })],
});

export const router = Web.choose([site, api, Web.Health.router()]);

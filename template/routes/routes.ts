import { Web } from "limmat";
import { hello } from "../web/handler/hello.ts";
import { welcome } from "../web/handler/welcome.ts";

const site = Web.choose([Web.get("/", welcome)], { middlewares: Web.Middleware.site() });

const api = Web.choose([Web.get("/hello/:name", hello)], { scope: "/api", middlewares: Web.Middleware.api() });

export const router = Web.choose([site, api, Web.Health.router()]);

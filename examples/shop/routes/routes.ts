import { Time, Token, User, Web } from "limmat";
import * as Idempotency from "limmat/idempotency";
import { idempotency, token, user } from "../service/service.ts";
import { account } from "./account.ts";
import { productsApi } from "./product-api.ts";
import { orders } from "./order.ts";
import { payment } from "../web/handler/payment.ts";
import { shop } from "./shop.ts";

// Of all pages. A form that is sent twice is processed once.
const middlewares = [
  ...Web.Middleware.site(),
  Idempotency.Web.forms(idempotency),
  User.Web.middleware(user, { preload: true }),
];

const site = Web.choose([shop, orders], { middlewares });

// For clients with an API token: npm run app token.create api
const tokenApi = Web.choose([productsApi], {
  middlewares: [Token.Web.bearer({ token, purpose: "api" })],
});

const api = Web.choose([tokenApi], {
  scope: "/api",
  middlewares: [...Web.Middleware.api(), Web.Middleware.requestLimit({ limit: 100, periodMs: Time.minutes(1) })],
});

// Their senders sign them, and send no CSRF token.
const webhooks = Web.choose([Web.post("/webhooks/payment", payment)], { middlewares: Web.Middleware.api() });

export const router = Web.choose([site, api, Web.Health.router(), account, webhooks]);

import { Time, Token, User, Web } from "limmat";
import * as Idempotency from "limmat/idempotency";
import { idempotency, token, user } from "../service/service.ts";
import { account } from "./account.ts";
import { products } from "./product.ts";
import { productsApi } from "./product-api.ts";
import { orders } from "./order.ts";
import { shop, webhooks } from "./shop.ts";

// Of all pages. A form that is sent twice is processed once.
const middlewares = [
  ...Web.Middleware.site(),
  Idempotency.Web.forms(idempotency),
  User.Web.middleware(user, { preload: true }),
];

const site = Web.choose([shop, products, orders], { middlewares });

// For clients with an API token: npm run app token.create api
const tokenApi = Web.choose([productsApi], {
  middlewares: [Token.Web.bearer({ token, purpose: "api" })],
});

const api = Web.choose([tokenApi], {
  scope: "/api",
  middlewares: [...Web.Middleware.api(), Web.Middleware.requestLimit({ limit: 100, periodMs: Time.minutes(1) })],
});

export const router = Web.choose([site, api, webhooks, Web.Health.router(), account]);

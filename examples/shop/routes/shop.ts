import { User, Web } from "limmat";
import * as Product from "../app/domain/product/product.ts";
import * as Cart from "../web/handler/cart.ts";
import * as Checkout from "../web/handler/checkout.ts";
import * as Payment from "../web/handler/payment.ts";
import * as Picture from "../web/handler/picture.ts";
import * as Provider from "../web/handler/provider.ts";
import * as Staff from "../web/handler/staff.ts";
import { requireRole } from "../web/middleware/require-role.ts";
import * as view from "../web/view/catalogue.ts";
import { listRules } from "../web/view/product.ts";

const catalogue = { name: "products", schema: Product.schema, view, service: Product, ...listRules } as const;

const requireUser = User.Web.requireUser({ loginPath: "/login" });

const checkout = [
  Web.get("/checkout", Checkout.show),
  Web.post("/checkout", Checkout.setAddress),
  Web.get("/checkout/confirmation", Checkout.confirm),
  Web.post("/orders", Checkout.order),
  Web.get("/orders/:id<uuid>/payment", Payment.pay),
];

const ship = Web.post("/orders/:id<uuid>/shipped", Staff.ship);

const management = [
  Web.get("/staff/orders.csv", Staff.download),
  Web.choose([Web.post("/staff/products/:id<uuid>/picture", Picture.replace)], {
    middlewares: [Web.Middleware.bodyLimit(Picture.maxFileBytes + 100_000)],
  }),
];

/** Pages of the shop. */
export const shop = Web.choose([
  ...Web.Rest.resourceOfService({ ...catalogue, only: ["index", "show"] }),
  Web.get("/", (request) => Web.Response.redirect(`${request.prefix}/products`)),
  Web.get("/products/:id<uuid>/picture", Picture.show),
  Web.get("/cart", Cart.show),
  Web.post("/cart", Cart.change),
  Web.choose(checkout, { middlewares: [requireUser] }),
  Web.choose([ship], { middlewares: [requireUser, requireRole("packer", "manager")] }),
  Web.choose(management, { middlewares: [requireUser, requireRole("manager")] }),
  Web.choose([Web.get("/provider", Provider.show), Web.post("/provider", Provider.pay)], {
    middlewares: [Provider.outsideProduction],
  }),
]);

/** Route of the payment provider. */
export const webhooks = Web.choose([Web.post("/webhooks/payments", Payment.receive)], {
  middlewares: Web.Middleware.api(),
});

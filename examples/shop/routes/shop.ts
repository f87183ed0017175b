import { User, Web } from "limmat";
import * as Product from "../app/domain/product/product.ts";
import * as Cart from "../web/handler/cart.ts";
import * as Checkout from "../web/handler/checkout.ts";
import * as Picture from "../web/handler/picture.ts";
import * as Provider from "../web/handler/provider.ts";
import * as Staff from "../web/handler/staff.ts";
import { requireRole } from "../web/middleware/require-role.ts";
import * as view from "../web/view/catalogue.ts";
import { listRules } from "../web/view/product.ts";

const catalogue = { name: "products", schema: Product.schema, view, service: Product, ...listRules } as const;

const customer = [User.Web.requireUser({ loginPath: "/login" })];

const visitorRoutes = [
  ...Web.Rest.resourceOfService({ ...catalogue, only: ["index", "show"] }),
  Web.get("/", (request) => Web.Response.redirect(`${request.prefix}/products`)),
  Web.get("/products/:id<uuid>/picture", Picture.show),
  Web.get("/cart", Cart.show),
  Web.post("/cart", Cart.change),
];

const customerRoutes = [
  Web.get("/checkout", Checkout.show),
  Web.post("/checkout", Checkout.setAddress),
  Web.get("/checkout/confirmation", Checkout.confirm),
  Web.post("/orders", Checkout.order),
  Web.get("/orders/:id<uuid>/payment", Checkout.pay),
];

const managerRoutes = [
  Web.get("/staff/orders.csv", Staff.download),
  Web.post("/staff/products/:id<uuid>/picture", Picture.replace),
];

const provider = [Web.get("/provider", Provider.show), Web.post("/provider", Provider.pay)];

/** Pages of the shop. */
export const shop = Web.choose([
  ...visitorRoutes,
  Web.choose(customerRoutes, { middlewares: customer }),
  Web.choose([Web.post("/orders/:id<uuid>/shipped", Staff.ship)], {
    middlewares: [...customer, requireRole("packer", "manager")],
  }),
  Web.choose(managerRoutes, { middlewares: [...customer, requireRole("manager"), Picture.bodyLimit] }),
  Web.choose(provider, { middlewares: [Provider.outsideProduction] }),
]);

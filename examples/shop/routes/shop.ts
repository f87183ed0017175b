import { User, Web } from "limmat";
import * as Product from "../app/domain/product/product.ts";
import * as Cart from "../web/handler/cart.ts";
import * as Checkout from "../web/handler/checkout.ts";
import { showPicture } from "../web/handler/product-picture.ts";
import * as Provider from "../web/handler/provider.ts";
import * as Staff from "../web/handler/staff.ts";
import { requireEmployee } from "../web/middleware/require-employee.ts";
import * as view from "../web/view/catalogue.ts";
import { listRules } from "../web/view/product.ts";
import { products } from "./product.ts";

const catalogue = { name: "products", schema: Product.schema, view, service: Product, ...listRules } as const;

const customerRoutes = [
  Web.get("/checkout", Checkout.show),
  Web.post("/checkout", Checkout.setAddress),
  Web.get("/checkout/confirmation", Checkout.confirm),
  Web.post("/orders", Checkout.order),
  Web.get("/orders/:id<uuid>/payment", Checkout.pay),
];

/** Pages of the shop. */
export const shop = Web.choose([
  ...Web.Rest.resourceOfService({ ...catalogue, routeName: "catalogue", only: ["index", "show"] }),
  Web.get("/", (request) => Web.Response.redirect(`${request.prefix}/products`)),
  Web.get("/products/:id<uuid>/picture", showPicture),
  Web.get("/cart", Cart.show),
  Web.post("/cart", Cart.change),
  Web.choose(customerRoutes, { middlewares: [User.Web.requireUser({ loginPath: "/login" })] }),
  Web.choose([Web.post("/orders/:id<uuid>/shipped", Staff.ship)], { middlewares: [requireEmployee()] }),
  Web.choose([products, Web.get("/orders.csv", Staff.download)], {
    scope: "/staff",
    middlewares: [requireEmployee("manager")],
  }),
  Web.choose([Web.get("/provider", Provider.show), Web.post("/provider", Provider.pay)], {
    middlewares: [Provider.outsideProduction],
  }),
]);

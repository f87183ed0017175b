import type { Middleware as RouterMiddleware } from "../../http/router/index.ts";
import * as middlewareFactories from "./index.ts";

/** Function that wraps a handler in another handler. */
export type Middleware = RouterMiddleware;

/** Middleware factories of the framework, and the stacks `site` and `api`. */
export const Middleware: typeof middlewareFactories = middlewareFactories;

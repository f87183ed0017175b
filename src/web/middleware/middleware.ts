import type { Middleware as WrapsHandler } from "../../http/router/index.ts";
import * as makers from "./index.ts";

/** Wraps a handler in another one. What it does on the way in and out is up to it. */
export type Middleware = WrapsHandler;

/** The middlewares of the framework, and the stacks that are made of them. */
export const Middleware: typeof makers = makers;

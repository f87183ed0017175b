import { type Request, Response } from "limmat/web";

/** Responds with a greeting as JSON. */
export const hello = (request: Request<{ readonly name: string }>): Response =>
  Response.json({ hello: request.params.name });

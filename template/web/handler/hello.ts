import { type Request, Response } from "limmat/web";

/** Says hello, in JSON. */
export const hello = (request: Request<{ readonly name: string }>): Response =>
  Response.json({ hello: request.params.name });

import { Form } from "limmat/schema";
import { type Request, Response } from "limmat/web";
import * as Greeting from "../../app/domain/greeting/greeting.ts";

/** Creates a greeting from a JSON body, such as `{"text": "Bun di"}`. */
export const create = async (request: Request): Promise<Response> => {
  const { form, value } = Greeting.schema.decodeJson(await request.json());
  if (value === undefined) return Response.json({ errors: Form.errors(form) }, { status: 422 });
  return Response.json(await Greeting.insert(value), { status: 201 });
};

import { Form, type Schema, type Web } from "limmat";
import { invalid } from "../view/error.ts";

type Respond<T, Params extends object> = (
  request: Web.Request<Params>,
  value: T,
) => Web.Response | Promise<Web.Response>;
type Handler<Params extends object> = (request: Web.Request<Params>) => Promise<Web.Response>;

/** Returns a handler that decodes the property `name` of the body, `{ "article": { … } }`. Invalid input gets 422. */
export const withBody =
  <T, Params extends object>(
    name: string,
    decode: (json: unknown) => Schema.Decoded<T>,
    respond: Respond<T, Params>,
  ): Handler<Params> =>
  async (request) => {
    const body = (await request.json()) as Readonly<Record<string, unknown>> | null;
    return handleDecoded(decode(body?.[name]), request, respond);
  };

/** Returns a handler that decodes the query. Invalid input gets 422. */
export const withQuery =
  <T, Params extends object>(schema: Schema.RecordSchema<T>, respond: Respond<T, Params>): Handler<Params> =>
  async (request) =>
    handleDecoded(schema.decode(request.query), request, respond);

const handleDecoded = <T, Params extends object>(
  { form, value }: Schema.Decoded<T>,
  request: Web.Request<Params>,
  respond: Respond<T, Params>,
): Web.Response | Promise<Web.Response> => (value === undefined ? invalid(Form.errors(form)) : respond(request, value));

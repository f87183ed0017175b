import { Form, type Schema, type Web } from "limmat";
import { invalid } from "../view/error.ts";

type Answer<T, Params extends object> = (
  request: Web.Request<Params>,
  value: T,
) => Web.Response | Promise<Web.Response>;
type Handler<Params extends object> = (request: Web.Request<Params>) => Promise<Web.Response>;

/** A handler that is given what stands in the body under a name, `{ "article": { … } }`, once it is right; else 422. */
export const withBody =
  <T, Params extends object>(
    name: string,
    decode: (json: unknown) => Schema.Decoded<T>,
    answer: Answer<T, Params>,
  ): Handler<Params> =>
  async (request) => {
    const body = (await request.json()) as Readonly<Record<string, unknown>> | null;
    return answered(decode(body?.[name]), request, answer);
  };

/** A handler that is given the query once it is right; else 422. */
export const withQuery =
  <T, Params extends object>(schema: Schema.RecordSchema<T>, answer: Answer<T, Params>): Handler<Params> =>
  async (request) =>
    answered(schema.decode(request.query), request, answer);

const answered = <T, Params extends object>(
  { form, value }: Schema.Decoded<T>,
  request: Web.Request<Params>,
  answer: Answer<T, Params>,
): Web.Response | Promise<Web.Response> => (value === undefined ? invalid(Form.errors(form)) : answer(request, value));

import type { Schema } from "../../schema/index.ts";
import type { ResponseDescription } from "../../http/router/index.ts";

/** RFC 9457, with the members that failures have here. */
const problemSchema: Schema.JsonSchema = {
  title: "Problem",
  type: "object",
  properties: {
    type: { type: "string", format: "uri-reference" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { type: "string", description: "Stable: programs go by it" },
    errors: { type: "object", additionalProperties: { type: "string" }, description: "Messages by field" },
    requestId: { type: "string" },
  },
  required: ["type", "title", "status", "detail", "requestId"],
};

/**
 * The description of a problem document (RFC 9457), as `Web.problem` and the error middleware make them: with `code`,
 * `requestId`, and `errors` by field. The text says when it is answered.
 *
 * @example
 * Web.post("/todos", create, { describe: { responses: { 201: todo, 422: Web.OpenApi.problem("A field is not valid") } } });
 */
export const problem = (description: string): ResponseDescription => ({
  description,
  body: problemSchema,
  mediaType: "application/problem+json",
});

// Starts the API, and clients for tests.
import assert from "node:assert/strict";
import { after, before, beforeEach } from "node:test";
import { Cleaner, Configuration } from "limmat";
import * as Account from "../app/domain/account/account.ts";
import { app } from "../run/run.ts";
import { migration } from "../service/service.ts";
import type * as Document from "../web/view/document.ts";

Configuration.store([["FRAMEWORK_ENV", "test"]]);

before(async () => {
  await app.start({ server: false });
  await migration.runAll();
});
beforeEach(() => Cleaner.cleanAll());
after(() => app.stop());

/** Response of the API. `body` is the parsed JSON, or `undefined` without a body. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** All properties that a body can have. The tests check which ones are present. */
type Body = ReturnType<typeof Document.user> &
  ReturnType<typeof Document.profile> &
  ReturnType<typeof Document.article> &
  ReturnType<typeof Document.articles> &
  ReturnType<typeof Document.comment> &
  ReturnType<typeof Document.comments> &
  ReturnType<typeof Document.tags> & { readonly errors: { readonly body: readonly string[] } };

export const password = "a meadow of cats";

/** Sends a request to the API. A string body is sent unchanged, other values as JSON. */
export async function apiRequest(
  method: string,
  path: string,
  input?: unknown,
  authorization?: string,
  headers: Readonly<Record<string, string>> = input === undefined ? {} : { "content-type": "application/json" },
): Promise<ApiResponse> {
  const response = await app.request(`/api${path}`, {
    method,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...headers,
    },
    ...(input === undefined ? {} : { body: typeof input === "string" ? input : JSON.stringify(input) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

/** A client of the API, with or without a token. */
export class ApiClient {
  readonly authorization: string | undefined;

  constructor(token?: string) {
    this.authorization = token === undefined ? undefined : `Token ${token}`;
  }

  readonly request = (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
    apiRequest(method, path, body, this.authorization);
  readonly get = (path: string): Promise<ApiResponse> => this.request("GET", path);
  readonly post = (path: string, body?: unknown): Promise<ApiResponse> => this.request("POST", path, body);
  readonly put = (path: string, body: unknown): Promise<ApiResponse> => this.request("PUT", path, body);
  readonly delete = (path: string): Promise<ApiResponse> => this.request("DELETE", path);

  /** Publishes an article and returns its slug. */
  async publish(title: string, tagList: readonly string[] = []): Promise<string> {
    const article = { title, description: `About ${title}`, body: `All of ${title}`, tagList };
    const { status, body } = await this.post("/articles", { article });
    assert.equal(status, 201);
    return body.article.slug;
  }
}

export const guest = new ApiClient();

/** Registers a user and returns a client with their token. */
export async function newUser(username: string): Promise<ApiClient> {
  const result = await Account.register({ username, email: `${username}@example.com`, password });
  assert.ok(result.ok);
  return new ApiClient(await Account.createToken(result.value));
}

/** Returns the slugs of a list and the total number of articles. */
export async function slugsAndTotal(answer: Promise<ApiResponse>): Promise<readonly unknown[]> {
  const { status, body } = await answer;
  assert.equal(status, 200);
  return [body.articles.map(({ slug }) => slug), body.articlesCount];
}

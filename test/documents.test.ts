import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import * as limmat from "../src/index.ts";
import { root } from "./sources.ts";

const documents = globSync(["*.md", "docs/**/*.md", "examples/*/*.md"], { cwd: root }).sort();

test("the links of the documents lead to files that exist", () => {
  const broken = documents.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8").replaceAll(/^```[^]*?^```$|`[^`\n]*`/gm, "");
    return [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)|(?:src|href)="(?!https?:|#)([^"#]+)"/g)]
      .map(([, link, attribute]) => link ?? attribute ?? "")
      .filter((link) => !existsSync(join(root, dirname(path), link)))
      .map((link) => `${path}: ${link}`);
  });
  assert.deepEqual(broken, []);
});

test("the documents name only sources that exist", () => {
  const missing = documents
    .filter((path) => path !== "CHANGELOG.md")
    .flatMap((path) =>
      [...readFileSync(join(root, path), "utf8").matchAll(/`((?:src|test|tools|docs|examples)\/[\w./-]+)`/g)]
        .map(([, name = ""]) => name)
        .filter((name) => !existsSync(join(root, name)))
        .map((name) => `${path}: ${name}`),
    );
  assert.deepEqual(missing, []);
});

test("the page of the specification's names lists names that exist", () => {
  const page = readFileSync(join(root, "docs/reference/specification.md"), "utf8");
  const cells = [...page.matchAll(/^\|[^|]*\|([^|]*)\|/gm)].map(([, cell = ""]) => cell);
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z]\w*(?:\.\w+)+)`/g)].map(([, name = ""]) => name));
  assert.ok(names.length > 60);
  const exists = (name: string): boolean =>
    name.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], limmat) !==
    undefined;
  // Types have no value at run time.
  const types = ["Web.Rest.ResourceService"];
  assert.deepEqual(
    names.filter((name) => !types.includes(name) && !exists(name)),
    [],
  );
});

/** Identifiers, keys, commands and folders of the specification. */
const specificationNames = `
  ctx run.ml app/command app/domain entity.ml repository.ml app/schedule database migration.ml seed.ml logs app.log
  error.log public resources routes routes.ml run service service.ml test web
  filter limit offset sort Index Create New Edit Show Update Destroy id created_at updated_at
  prepare_search_request run_search_request uuid email username password status admin confirmed
  Session.find Session.set Flash Csrf.find csrf
  ROOT_PATH ENV_FILES_PATH CHECK_CSRF LOG_LEVEL DATABASE_POOL_SIZE DATABASE_SKIP_DEFAULT_POOL_CREATION
  DATABASE_CHOOSE_POOL PUBLIC_DIR PUBLIC_URI_PREFIX SMTP_HOST FRAMEWORK_ENV Configuration.store read_string config:list
  get post choose combine scope path middleware resource_of_service resource_of_controller only name schema
  of_request to_query_string next_page previous_page last_page first_page query_filter query_sort query_limit query_offset
  config gen.html gen.json gen.model gen.view migrate random routes server user.admin help make int bool string datetime
  find find_opt exec collect query transaction transaction' add_pool Cleaner.clean_all Random Time Schedule
  error warning info debug _opt Ptime.t Promise.t
`
  .trim()
  .split(/\s+/);

test("the page of the specification's names has a row for each of them", () => {
  const page = readFileSync(join(root, "docs/reference/specification.md"), "utf8");
  const rows = [...page.matchAll(/^\|.*$/gm)].map(([row]) => row);
  const missing = specificationNames.filter((name) => {
    const word = new RegExp(`(?<![\\w.])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w'])`);
    return !rows.some((row) => word.test(row));
  });
  assert.deepEqual(missing, []);
});

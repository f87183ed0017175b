// The order of the site's pages. Every Markdown file of docs/ belongs to it: the build fails for a page that is missing here.

/** Group of pages, of folders with pages, and of other groups. */
export interface Group {
  readonly title: string;
  readonly items: readonly Item[];
}

/** All pages of a folder, in the order of their file names. The README comes first. */
export interface Folder {
  readonly folder: string;
}

/** Path of a Markdown file in the repository, a folder of such files, or a group. */
export type Item = string | Folder | Group;

/** Folder of the generated reference. `generate-reference.ts` writes one page for each entry point and namespace. */
export const apiFolder = "docs/reference/api";

const guide = (...names: readonly string[]): readonly string[] => names.map((name) => `docs/guide/${name}.md`);
const reference = (...names: readonly string[]): readonly string[] => names.map((name) => `docs/reference/${name}.md`);

/** Sections of the site, as the sidebar shows them. A folder without pages is left out. */
export const navigation: readonly Group[] = [
  {
    title: "Start",
    items: [
      "docs/why.md",
      "docs/scope.md",
      ...guide("getting-started", "new-project"),
      { title: "Tutorial", items: [{ folder: "docs/tutorial" }] },
    ],
  },
  {
    title: "Guide",
    items: [
      "docs/guide/README.md",
      {
        title: "Project",
        items: guide("generators", "development-server", "command-line", "services", "logging", "upgrade"),
      },
      {
        title: "Pages and APIs",
        items: guide(
          "web",
          "html",
          "assets",
          "forms",
          "components",
          "languages",
          "cart",
          "uploads",
          "payments",
          "resources",
          "lists",
          "json-api",
          "openapi",
        ),
      },
      {
        title: "Data",
        items: guide("tables", "policies", "database", "money", "migrations", "pools", "cache", "storage"),
      },
      {
        title: "Users",
        items: guide(
          "users",
          "login",
          "registration-and-accounts",
          "user-fields",
          "passwords",
          "password-reset",
          "sessions-and-devices",
          "authorization",
          "admin",
          "audit",
          "tokens",
        ),
      },
      { title: "Background work", items: guide("queue", "email", "schedule", "webhooks") },
      {
        title: "Test and deploy",
        items: [
          ...guide("testing", "production", "deploy", "scale", "processes"),
          "docs/performance.md",
          ...guide("security", "content-security-policy", "metrics", "bun"),
        ],
      },
    ],
  },
  { title: "Concepts", items: [{ folder: "docs/concepts" }] },
  {
    title: "Reference",
    items: [
      ...reference("http", "middleware", "commands", "configuration", "errors"),
      { title: "API", items: [{ folder: apiFolder }] },
      { title: "Conformance", items: reference("specification", "asvs") },
    ],
  },
  { title: "Coming from", items: [{ folder: "docs/coming-from" }] },
  {
    title: "Project",
    items: [
      "docs/faq.md",
      "CHANGELOG.md",
      {
        title: "Benchmarks",
        items: [
          "docs/benchmarks.md",
          "docs/benchmarks-full-stack.md",
          "docs/benchmarks-conditions.md",
          "docs/benchmarks-database.md",
          "docs/benchmarks-queue.md",
        ],
      },
      {
        title: "Contributing",
        items: ["CONTRIBUTING.md", "ARCHITECTURE.md", "docs/releasing.md", "docs/internals.md", "SECURITY.md"],
      },
      { title: "Decisions", items: [{ folder: "docs/decisions" }] },
    ],
  },
];

/** Pages that the header links. */
export const mainPages: readonly { readonly title: string; readonly source: string }[] = [
  { title: "Getting started", source: "docs/guide/getting-started.md" },
  { title: "Guide", source: "docs/guide/README.md" },
  { title: "Tutorial", source: "docs/tutorial/README.md" },
  { title: "Reference", source: "docs/reference/api/README.md" },
];

/** Weights of pages in the search, the first pattern that matches wins. Other pages have the weight 1. */
export const searchWeights: readonly (readonly [pattern: RegExp, weight: number])[] = [
  [/^docs\/(?:guide|reference)\/README\.md$|^docs\/reference\/api\/README\.md$/, 0.4],
  [/^docs\/reference\/api\//, 0.6],
  [/^docs\/concepts\//, 0.9],
  [/^docs\/reference\/errors\.md$/, 0.7],
  [/^docs\/tutorial\//, 0.5],
  [/^docs\/(?:coming-from\/|why\.md$|guide\/bun\.md$)|^SECURITY\.md$/, 0.3],
];

/** Sections that rarely answer a question of a user. The search lists their pages last, `llms-full.txt` omits them. */
export const secondarySources: readonly RegExp[] = [
  /^docs\/decisions\//,
  /^docs\/benchmarks/,
  /^docs\/(?:releasing|internals)\.md$/,
  /^docs\/reference\/(?:asvs|specification)\.md$/,
  /^(?:ARCHITECTURE|CONTRIBUTING|CHANGELOG)\.md$/,
];

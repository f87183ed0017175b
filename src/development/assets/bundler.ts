import { existsSync } from "node:fs";
import { basename, extname, join, relative, resolve } from "node:path";
import type * as Esbuild from "esbuild";
import type { BuildContext, BuildFailure, BuildOptions, BuildResult, Plugin } from "esbuild";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { type AssetManifest, builtAssetFolder, findEntryPoints } from "../../core/index.ts";
import { errors } from "../errors.ts";

/** Purpose of a build: minified files with fingerprints, or plain names and source maps. */
export type BuildMode = "production" | "development";

/** Bundled files of a project. */
export interface AssetBuild {
  /** Contents by file name, which has no folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly manifest: AssetManifest;
  /** Absolute paths of all sources. */
  readonly inputs: ReadonlySet<string>;
  /** Warnings of the bundler, as text. */
  readonly warnings: string;
}

// Browsers of the last 30 months, in which features are "widely available" (https://web.dev/baseline).
const targets = ["chrome125", "edge125", "firefox126", "safari17.5"];

// Style sheets refer to these files. They are copied, with fingerprints in production.
const fileExtensions = "avif eot gif ico jpeg jpg otf png svg ttf webp woff woff2".split(" ");

const publicDirectoryField = Configuration.string("PUBLIC_DIR", {
  description: "directory of the static files, from the root of the project",
  default: "public",
});

/** Returns the absolute path of the public directory. The root of the project must be set. */
export const publicDirectory = (): string =>
  resolve(ConfigurationInternals.root(), Configuration.read(publicDirectoryField));

/**
 * Bundler of the sources in `resources`. Builds are incremental, and run one after the other. `dispose` ends the process
 * of esbuild.
 */
export class AssetBundler {
  readonly #root: string;
  readonly #mode: BuildMode;
  #entryPoints: readonly string[] = [];
  #context: BuildContext<BundlerOptions> | undefined;

  /** Creates a bundler of a project. Loads nothing before the first build. */
  constructor(root: string, mode: BuildMode) {
    this.#root = root;
    this.#mode = mode;
  }

  /**
   * Bundles all entry points. A project without entry points needs no bundler: the build is empty.
   *
   * @throws E_ASSETS_BUNDLER, E_ASSETS_BUILD, E_ASSETS_NAME
   */
  async build(): Promise<AssetBuild> {
    const sources = findEntryPoints(this.#root);
    const [first] = sources;
    if (first === undefined) {
      await this.dispose();
      return { files: new Map(), manifest: {}, inputs: new Set(), warnings: "" };
    }
    const esbuild = await loadEsbuild(first);
    try {
      const result = await this.#bundle(esbuild, sources);
      const warnings = await esbuild.formatMessages(result.warnings, { kind: "warning" });
      return this.#toBuild(result, warnings.join("\n").trim());
    } catch (error) {
      if (!isBuildFailure(error)) throw error;
      const messages = await esbuild.formatMessages(error.errors, { kind: "error" });
      throw errors.E_ASSETS_BUILD(messages.join("\n").trim());
    }
  }

  /**
   * Bundles the sources. A style sheet that the script of the same name imports, such as `app.css` in `app.ts`, is no entry point:
   * it is part of the style sheet of the script. Which ones these are is known after a build only, so the first build leaves all
   * of them out.
   */
  async #bundle(esbuild: typeof Esbuild, sources: readonly string[]): Promise<BuildResult<BundlerOptions>> {
    const sheets = new Map(sources.flatMap((source) => sheetOf(source, sources)));
    const rebuild = (separateSheets: ReadonlySet<string>): Promise<BuildResult<BundlerOptions>> =>
      this.#rebuild(
        esbuild,
        sources.filter((source) => !sheets.has(source) || separateSheets.has(source)),
      );
    const separateSheetsOf = ({ metafile }: BuildResult<BundlerOptions>): Set<string> => {
      const outputs = Object.values(metafile.outputs);
      const isImported = ([sheet, script]: readonly [string, string]): boolean => {
        const bundle = outputs.find(({ entryPoint }) => entryPoint === script)?.cssBundle;
        return bundle !== undefined && metafile.outputs[bundle]?.inputs[sheet] !== undefined;
      };
      return new Set([...sheets].filter((pair) => !isImported(pair)).map(([sheet]) => sheet));
    };
    const known = new Set([...sheets.keys()].filter((sheet) => this.#entryPoints.includes(sheet)));
    // A script that imports its style sheet since the last build makes two files of one name.
    const result = await rebuild(known).catch((error: unknown) => {
      if (known.size === 0 || !isBuildFailure(error)) throw error;
      return rebuild(new Set());
    });
    const separate = separateSheetsOf(result);
    const isBuilt = (sheet: string): boolean => this.#entryPoints.includes(sheet);
    return [...sheets.keys()].every((sheet) => separate.has(sheet) === isBuilt(sheet)) ? result : rebuild(separate);
  }

  async #rebuild(esbuild: typeof Esbuild, entryPoints: readonly string[]): Promise<BuildResult<BundlerOptions>> {
    if (entryPoints.join() !== this.#entryPoints.join()) await this.dispose();
    this.#entryPoints = entryPoints;
    this.#context ??= await esbuild.context(bundlerOptions(this.#root, entryPoints, this.#mode));
    return this.#context.rebuild();
  }

  async dispose(): Promise<void> {
    await this.#context?.dispose();
    this.#context = undefined;
  }

  #toBuild(result: BuildResult<BundlerOptions>, warnings: string): AssetBuild {
    const inputs = Object.keys(result.metafile.inputs).map((path) => resolve(this.#root, path));
    return {
      files: new Map(result.outputFiles.map(({ path, contents }) => [basename(path), contents])),
      manifest: this.#manifestOf(result),
      inputs: new Set(inputs),
      warnings,
    };
  }

  #manifestOf({ metafile }: BuildResult<BundlerOptions>): AssetManifest {
    const sources = new Map<string, string>();
    const manifest: Record<string, string> = {};
    const add = (source: string, path: string): void => {
      const name = basename(source, extname(source)) + extname(path);
      const publicFile = join(publicDirectory(), name);
      const other = sources.get(name) ?? (existsSync(publicFile) ? relative(this.#root, publicFile) : undefined);
      if (other !== undefined) throw errors.E_ASSETS_NAME(name, other, source);
      sources.set(name, source);
      manifest[name] = basename(path);
    };
    for (const [path, { entryPoint, cssBundle }] of Object.entries(metafile.outputs)) {
      if (entryPoint === undefined || !this.#entryPoints.includes(entryPoint)) continue;
      add(entryPoint, path);
      if (cssBundle !== undefined) add(entryPoint, cssBundle);
    }
    return manifest;
  }
}

/** Returns a style sheet with the script of the same name, if there is one. */
function sheetOf(source: string, sources: readonly string[]): readonly (readonly [sheet: string, script: string])[] {
  const stem = source.slice(0, -extname(source).length);
  const script = sources.find((other) => other !== source && other.startsWith(`${stem}.`) && !other.endsWith(".css"));
  return source.endsWith(".css") && script !== undefined ? [[source, script]] : [];
}

/** Options that determine the types of results. */
type BundlerOptions = BuildOptions & { readonly write: false; readonly metafile: true };

const bundlerOptions = (root: string, entryPoints: readonly string[], mode: BuildMode): BundlerOptions => {
  const suffix = mode === "production" ? "-[hash]" : "";
  return {
    absWorkingDir: root,
    entryPoints: [...entryPoints],
    entryNames: `[name]${suffix}`,
    chunkNames: "[name]-[hash]",
    assetNames: `[name]${suffix}`,
    outdir: join(root, builtAssetFolder),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: targets,
    minify: mode === "production",
    sourcemap: mode === "development" ? "linked" : false,
    legalComments: mode === "production" ? "eof" : "inline",
    loader: Object.fromEntries(fileExtensions.map((extension) => [`.${extension}`, "file"] as const)),
    plugins: [paths],
    logLevel: "silent",
    write: false,
    metafile: true,
  };
};

/** Keeps paths of the site, such as `/assets/photo.jpg`, as they are. Only style sheets refer to files that are copied. */
const paths: Plugin = {
  name: "limmat",
  setup: (build) => {
    build.onResolve({ filter: /^\// }, ({ path, kind }) =>
      kind === "entry-point" ? undefined : { path, external: true },
    );
    build.onResolve({ filter: new RegExp(`\\.(?:${fileExtensions.join("|")})$`) }, ({ kind }) =>
      kind === "url-token" || kind === "import-rule"
        ? undefined
        : { errors: [{ text: "Only a style sheet can refer to this file. Pass its address from the page instead." }] },
    );
  },
};

const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && Array.isArray((error as Partial<BuildFailure>).errors);

async function loadEsbuild(source: string): Promise<typeof Esbuild> {
  try {
    return await import("esbuild");
  } catch (cause) {
    // Not only for the name: after a failure, Node reports the path of a package that was installed since.
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND")
      throw errors.E_ASSETS_BUNDLER(source).causedBy(cause);
    throw cause;
  }
}

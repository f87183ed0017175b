import { join } from "node:path";
import { assetSourceFolder, findEntryPoints, messageOf } from "../core/index.ts";
import type { BrowserEvent } from "./browser-client.ts";
import { type AssetBuild, AssetBundler } from "./assets/bundler.ts";

/** Callbacks of `DevelopmentAssets`. */
export interface DevelopmentAssetsOptions {
  /** Called after a build that changed files. `isStyle` is true if only style sheets changed. */
  readonly onChange: (isStyle: boolean) => void;
  /** Called with the errors of a failed build. */
  readonly onFailure: (reason: string) => void;
  readonly onWarnings: (text: string) => void;
}

/** Files bundled from `resources`, in memory. A change of a source builds them again. */
export class DevelopmentAssets {
  readonly #root: string;
  readonly #options: DevelopmentAssetsOptions;
  readonly #bundler: AssetBundler;
  #files: AssetBuild["files"] = new Map();
  #inputs: ReadonlySet<string> = new Set();
  #failure: string | undefined;
  #building: Promise<void> = Promise.resolve();

  /** Starts the first build. A project without sources loads no bundler. */
  constructor(root: string, options: DevelopmentAssetsOptions) {
    this.#root = root;
    this.#options = options;
    this.#bundler = new AssetBundler(root, "development");
    if (findEntryPoints(root).length > 0) this.#building = this.#build();
  }

  /** Event with the errors of the last build, if it has failed. */
  get failureEvent(): BrowserEvent {
    const title = "The assets have errors. This page uses their previous version.";
    return { kind: "failure", title, reason: this.#failure };
  }

  /** Builds again if one of the changed paths, relative to the root, concerns the build. */
  update(paths: readonly string[]): void {
    // After a failure, any source may fix it: the inputs of a failed build are not known.
    const isSource = (path: string): boolean =>
      (this.#failure !== undefined && /\.(?:[cm]?[jt]sx?|json|css)$/.test(path)) ||
      path.startsWith(`${assetSourceFolder}/`) ||
      this.#inputs.has(join(this.#root, path));
    if (paths.some(isSource)) this.#building = this.#building.then(() => this.#build());
  }

  /** Finds a file after the running build. After a failed build, finds the previous version. */
  async find(name: string): Promise<Uint8Array | undefined> {
    await this.#building;
    return this.#files.get(name);
  }

  /** Waits for the running build, and releases the bundler. */
  async dispose(): Promise<void> {
    await this.#building;
    await this.#bundler.dispose();
  }

  async #build(): Promise<void> {
    try {
      const { files, inputs, warnings } = await this.#bundler.build();
      const names = changedNames(this.#files, files);
      const hadFailure = this.#failure !== undefined;
      [this.#files, this.#inputs, this.#failure] = [files, inputs, undefined];
      if (warnings !== "") this.#options.onWarnings(warnings);
      if (names.length > 0 || hadFailure) {
        this.#options.onChange(!hadFailure && names.every((name) => /\.css(?:\.map)?$/.test(name)));
      }
    } catch (error) {
      this.#failure = messageOf(error);
      this.#options.onFailure(this.#failure);
    }
  }
}

function changedNames(before: AssetBuild["files"], after: AssetBuild["files"]): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => {
    const [previous, next] = [before.get(name), after.get(name)];
    return previous === undefined || next === undefined || Buffer.compare(previous, next) !== 0;
  });
}

import { join, relative } from "node:path";
import { builtAssetFolder, findEntryPoints } from "../../core/index.ts";
import type { Progress } from "./progress.ts";

/**
 * Bundles the browser code of a project, if it has any. Returns the folders of the files, relative to the project, which git
 * ignores and a release needs.
 *
 * @throws E_ASSETS_BUNDLER, E_ASSETS_BUILD, E_ASSETS_NAME
 */
export async function packAssets(root: string, progress: Progress): Promise<readonly string[]> {
  if (findEntryPoints(root).length === 0) return [];
  return progress.step("bundle the browser code", async (setDetail) => {
    const [{ writeAssets }, { publicDirectory }] = await Promise.all([
      import("../assets/write-assets.ts"),
      import("../assets/bundler.ts"),
    ]);
    let files = 0;
    await writeAssets({ print: () => void (files += 1), note: (line) => progress.note(line), isTerminal: false });
    setDetail(`${files} files`);
    return [relative(root, join(publicDirectory(), builtAssetFolder))];
  });
}

import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { ConfigurationInternals } from "../../config/index.ts";
import { assetManifestFile, assetSourceFolder, builtAssetFolder, type Command } from "../../core/index.ts";
import { AssetBundler, publicDirectory } from "./bundler.ts";
import { errors } from "../errors.ts";

// Below this size, compression saves no packet.
const minCompressedBytes = 1024;
const compressedExtensions: readonly string[] = [".css", ".js", ".svg"];
const builtFilePattern = /-[A-Z2-7]{8}\.\w+(?:\.br|\.gz)?$/;

/**
 * Bundles the sources in `resources`, and writes the files, the compressed ones and the manifest to `public/built`. Then
 * deletes the files of the previous build.
 *
 * @throws E_ASSETS_BUNDLER, E_ASSETS_BUILD, E_ASSETS_NAME, E_ASSETS_NONE
 */
export async function writeAssets(output: Command.Output): Promise<void> {
  const root = ConfigurationInternals.root();
  const bundler = new AssetBundler(root, "production");
  const { files, manifest, warnings } = await bundler.build().finally(() => bundler.dispose());
  if (files.size === 0) throw errors.E_ASSETS_NONE(assetSourceFolder);
  if (warnings !== "") output.note(warnings);

  const folder = join(publicDirectory(), builtAssetFolder);
  mkdirSync(folder, { recursive: true });
  const written = new Set<string>();
  const write = (name: string, content: Uint8Array): void => {
    writeFileSync(join(folder, name), content);
    written.add(name);
  };
  for (const [name, content] of files) {
    write(name, content);
    const isCompressed = compressedExtensions.includes(extname(name)) && content.length >= minCompressedBytes;
    if (isCompressed) {
      write(`${name}.br`, brotliCompressSync(content));
      write(`${name}.gz`, gzipSync(content, { level: 9 }));
    }
    output.print(`${relative(root, join(folder, name))}  ${(content.length / 1024).toFixed(1)} kB`);
  }
  writeFileSync(join(folder, assetManifestFile), `${JSON.stringify(manifest, undefined, 2)}\n`);
  for (const name of readdirSync(folder)) {
    if (builtFilePattern.test(name) && !written.has(name)) rmSync(join(folder, name));
  }
}

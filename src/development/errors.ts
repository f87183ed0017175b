import { type Catalogue, catalogue, messageOf } from "../core/index.ts";

const entries = {
  E_ASSETS_BUNDLER: (source: string): string =>
    `The package "esbuild" is not installed. It bundles ${source}. ` +
    'Run "npm install --save-dev --save-exact esbuild", and start this program again.',
  E_ASSETS_BUILD: (problems: string): string => `The sources of the assets have errors.\n\n${problems}`,
  E_ASSETS_NAME: (name: string, first: string, second: string): string =>
    `Both ${first} and ${second} are the asset "${name}". Rename or remove one of them.`,
  E_ASSETS_NONE: (folder: string): string =>
    `There is nothing to build: no TypeScript or CSS file is directly in ${folder}. Add one, such as ${folder}/app.ts.`,
  E_DEVELOP_LISTEN: (port: number, cause: unknown): string =>
    `The development server cannot listen on port ${port}: ${messageOf(cause)}. Is another instance running? Stop it, or set PORT to another number.`,
};

/** Errors of the development server and of building assets. */
export const errors: Catalogue<typeof entries> = catalogue(entries);

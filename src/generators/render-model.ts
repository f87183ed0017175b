import { renderStub, type StubValues } from "../project/index.ts";
import type { Model } from "./describe-model.ts";
import { pruneImports } from "./imports.ts";

/** Renders a module of a model from a stub, without the imports that it does not use. */
export const renderModule = (stub: string, { values }: Model, ownValues: StubValues = {}): string =>
  pruneImports(renderStub(stub, ownValues, values));

type Action = (...values: readonly unknown[]) => unknown;

/**
 * Returns a controller that is loaded with its first request (docs/decisions/017). Once it is loaded, its functions are
 * called without another promise. An import of the framework loads 24 kB less code (4 %).
 */
export function lazyActions<Controller extends object>(
  load: () => Promise<Controller>,
  names: readonly (keyof Controller & string)[],
): Controller {
  const actions = names.map((name) => {
    let loadedAction: Action | undefined;
    const loadAction = async (values: readonly unknown[]): Promise<unknown> => {
      loadedAction = (await load())[name] as Action;
      return await loadedAction(...values);
    };
    const action: Action = (...values) => (loadedAction === undefined ? loadAction(values) : loadedAction(...values));
    return [name, action] as const;
  });
  // The names are those of the functions of the controller.
  return Object.fromEntries(actions) as Controller;
}

// Things that are made from settings, and made anew when these settings have changed.

/** `names`: the settings that it is made from. The first is made at once, so that a start fails if it cannot be. */
export function madeFrom<Config, Name extends keyof Config, Made>(
  config: Config,
  names: readonly Name[],
  make: (before: Made | undefined) => Made,
): () => Made {
  const valuesNow = () => names.map((name) => config[name]);
  let values = valuesNow();
  let made = make(undefined);
  return () => {
    const now = valuesNow();
    if (now.some((value, at) => value !== values[at])) {
      made = make(made);
      values = now;
    }
    return made;
  };
}

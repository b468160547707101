// Paths to values of JSON, as rules and filters write them: `a.x[2].y`, `a["x.y"]`.

/// The path of a member or an element of the value at `path`.
export function pathOf(path, name, isElement) {
  if (isElement) return `${path}[${name}]`;
  const isPlain = name !== '' && !/[.[\]"\s\\]/.test(name);
  if (!isPlain) return `${path}[${JSON.stringify(name)}]`;
  return path ? `${path}.${name}` : name;
}

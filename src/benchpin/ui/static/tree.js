// The files of a workspace as a tree: sizes and measures of folders from those of their files.

/** Return a name on one line: characters that hide or reorder text are shown as escapes. */
export function plain(text) {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu,
    (it) => `\\u{${it.codePointAt(0).toString(16)}}`);
}

function folder(name, path) {
  return { name, path, children: [], byName: new Map(), lines: 0, file: -1 };
}

function insert(root, parts, path, lines, file) {
  let at = root;
  at.lines += lines;
  parts.forEach((part, depth) => {
    const isFile = depth === parts.length - 1;
    const key = isFile ? `/${part}` : part; // a folder and a file of one name are two
    let next = at.byName.get(key);
    if (!next) {
      next = folder(part, isFile ? path : parts.slice(0, depth + 1).join("/"));
      at.byName.set(key, next);
      at.children.push(next);
    }
    if (isFile) { next.file = file; }
    next.lines += lines;
    at = next;
  });
}

function finish(node) {
  // A folder with nothing but a folder is shown as one: src/benchpin.
  while (node.path && node.children.length === 1 && node.children[0].file < 0) {
    const [only] = node.children;
    Object.assign(node, { name: `${node.name}/${only.name}`, path: only.path });
    node.children = only.children;
  }
  delete node.byName;
  node.children.sort((a, b) => b.lines - a.lines || (a.path < b.path ? -1 : 1));
  node.children.forEach(finish);
}

/** Return the root of a tree; `files` are paths, `lines` the size of each. */
export function treeOf(files, lines) {
  const root = folder("", "");
  files.forEach((path, at) => insert(root, path.split("/"), path, lines[at], at));
  finish(root);
  return root;
}

/** Return the node of a path, or the root. */
export function nodeAt(root, path) {
  let at = root;
  while (path && at.path !== path) {
    const next = at.children.find((it) => path === it.path || path.startsWith(`${it.path}/`)
      || it.path.startsWith(`${path}/`));
    if (!next || next.file >= 0) { return root; }
    at = next;
    if (at.path.startsWith(path)) { return at; }
  }
  return at;
}

function remembered(node, values, make) {
  node.memo ??= new Map();
  if (!node.memo.has(values)) { node.memo.set(values, make()); }
  return node.memo.get(values);
}

function forEachFile(node, act) {
  if (node.file >= 0) { act(node); } else { node.children.forEach((it) => forEachFile(it, act)); }
}

/** Return the mean of a measure over the files of a node, by lines; null if none is known. */
export function meanOf(node, values) {
  if (node.file >= 0) { return values[node.file]; }
  return remembered(node, values, () => {
    let sum = 0;
    let weight = 0;
    forEachFile(node, (it) => {
      const value = values[it.file];
      if (value !== null && value !== undefined) { sum += value * it.lines; weight += it.lines; }
    });
    return weight ? sum / weight : null;
  });
}

/** Return the value that most lines of a node have, of those that have one: an owner, for example. */
export function mostOf(node, values) {
  if (node.file >= 0) { return values[node.file]; }
  return remembered(node, values, () => {
    const counts = new Map();
    forEachFile(node, (it) => {
      const value = values[it.file];
      if (value) { counts.set(value, (counts.get(value) ?? 0) + it.lines); }
    });
    return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
  });
}

function worst(row, side, total, scale) {
  const area = total * scale;
  return Math.max((side * side * row[0].lines * scale) / (area * area),
    (area * area) / (side * side * row.at(-1).lines * scale));
}

/**
 * Squarified layout (Bruls, Huizing, van Wijk 2000): call `place(child, x, y, w, h)` for each child
 * that has lines, the largest first, so that all are as square as possible.
 */
export function squarify(children, x, y, w, h, place) {
  const items = children.filter((it) => it.lines > 0);
  let left = items.reduce((sum, it) => sum + it.lines, 0);
  let at = 0;
  while (at < items.length && w > 0 && h > 0) {
    const side = Math.min(w, h);
    const scale = (w * h) / left;
    const row = [items[at]];
    let total = items[at].lines;
    for (let next = at + 1; next < items.length; next += 1) {
      const wider = total + items[next].lines;
      if (worst([...row.slice(0, 1), items[next]], side, wider, scale)
        > worst([row[0], row.at(-1)], side, total, scale)) { break; }
      row.push(items[next]);
      total = wider;
    }
    const depth = (total * scale) / side;
    let offset = 0;
    for (const it of row) {
      const length = (it.lines * scale) / depth;
      if (w >= h) { place(it, x, y + offset, depth, length); } else {
        place(it, x + offset, y, length, depth);
      }
      offset += length;
    }
    if (w >= h) { x += depth; w -= depth; } else { y += depth; h -= depth; }
    left -= total;
    at += row.length;
  }
}

// Prints which classes and interfaces of a TypeScript project inherit from or implement which, and
// which of their methods override which, as the compiler resolves them:
//
//     NODE_PATH=FOLDER/node_modules node typescript_types.cjs ROOT
//
// One row a pair, through any number of steps, as JavaTypes.java has it. Only what is declared counts,
// not types that merely have the members. Types inside functions, and without a name, have no row.

const fs = require("fs");
const path = require("path");
const ts = require("typescript");

const root = fs.realpathSync(process.argv[2]);
const SKIPPED = new Set(["node_modules", ".git", "dist", "build"]);

function* sources(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* sources(full);
    else if (entry.isFile() && /\.tsx?$/.test(entry.name)) yield full;
  }
}

// Aliases of paths, such as `@server/*`, from the configuration at the root.
function paths() {
  const file = path.join(root, "tsconfig.json");
  if (!fs.existsSync(file)) return {};
  const read = ts.parseJsonConfigFileContent(ts.readConfigFile(file, ts.sys.readFile).config, ts.sys, root);
  return { paths: read.options.paths, baseUrl: read.options.baseUrl, pathsBasePath: root };
}

const program = ts.createProgram([...sources(root)], {
  ...paths(),
  allowJs: false,
  jsx: ts.JsxEmit.Preserve,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ESNext,
  types: [],
});
const checker = program.getTypeChecker();

const isType = (node) => ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node);

function nameOf(node) {
  const names = [];
  for (let it = node; it && !ts.isSourceFile(it); it = it.parent) {
    if (isType(it) || ts.isModuleDeclaration(it)) {
      if (!it.name) return undefined;
      names.unshift(it.name.text);
    } else if (!ts.isModuleBlock(it)) return undefined;
  }
  return names.join(".");
}

function place(node) {
  const file = path.relative(root, node.getSourceFile().fileName);
  const name = nameOf(node);
  return name && !file.startsWith("..") && !file.includes("node_modules") ? `${file}\t${name}` : undefined;
}

function direct(node) {
  const found = [];
  for (const clause of node.heritageClauses ?? []) {
    for (const written of clause.types) {
      let symbol = checker.getSymbolAtLocation(written.expression);
      if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
      found.push(...(symbol?.declarations ?? []).filter(isType));
    }
  }
  return found;
}

function above(node) {
  const found = new Set();
  const open = direct(node);
  while (open.length) {
    const one = open.pop();
    if (one !== node && !found.has(one)) {
      found.add(one);
      open.push(...direct(one));
    }
  }
  return found;
}

const isMethod = (it) => (ts.isMethodDeclaration(it) || ts.isMethodSignature(it)) && ts.isIdentifier(it.name);
const isStatic = (it) => (ts.getCombinedModifierFlags(it) & ts.ModifierFlags.Static) !== 0;

const rows = new Set();
for (const file of program.getSourceFiles()) {
  const visit = (node) => {
    if (isType(node) && place(node)) {
      for (const base of above(node)) {
        if (!place(base)) continue;
        rows.add(`type\t${place(node)}\t${place(base)}`);
        for (const own of node.members.filter(isMethod)) {
          for (const other of base.members.filter(isMethod)) {
            if (own.name.text === other.name.text && isStatic(own) === isStatic(other)) {
              const name = `.${own.name.text}`;
              rows.add(`method\t${place(node)}${name}\t${place(base)}${name}`);
            }
          }
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  if (!file.fileName.includes("node_modules")) visit(file);
}
for (const row of rows) console.log(row);

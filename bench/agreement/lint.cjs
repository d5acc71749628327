// Prints what ESLint's `complexity` and sonarjs's `cognitive-complexity` say about the files that
// are listed on stdin, a JSON line for each.
const fs = require("node:fs");
const { ESLint } = require("eslint");
const sonarjs = require("eslint-plugin-sonarjs");
const typescript = require("typescript-eslint");

const plugin = sonarjs.default ?? sonarjs;
const linter = (jsx) =>
  new ESLint({
    overrideConfigFile: true,
    allowInlineConfig: false,
    ignore: false,
    cwd: "/",
    overrideConfig: [
      {
        files: ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"].map((ending) => `**/*.${ending}`),
        languageOptions: {
          parser: typescript.parser,
          parserOptions: { ecmaFeatures: { jsx }, sourceType: "module" },
        },
        plugins: { sonarjs: plugin },
        rules: { complexity: ["error", { max: 0 }], "sonarjs/cognitive-complexity": ["error", 0] },
      },
    ],
  });
const withJsx = linter(true);
const withoutJsx = linter(false);

async function main() {
  for (const file of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const chosen = /\.(tsx|jsx|js|mjs|cjs)$/.test(file) ? withJsx : withoutJsx;
    const [result] = await chosen.lintText(fs.readFileSync(file, "utf8"), { filePath: file });
    const messages = result.messages.map(({ ruleId, line, message, fatal }) => ({
      rule: ruleId ?? "",
      line,
      message,
      fatal: fatal === true,
    }));
    console.log(JSON.stringify({ file, messages }));
  }
}

main();

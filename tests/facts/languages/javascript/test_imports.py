import json

import pytest

from made_sources import outcome, resolve_texts

PROJECT = {
    "package.json": '{"name": "root", "workspaces": ["packages/*"]}',
    "src/main.ts": "",
    "src/util.ts": "",
    "src/view.tsx": "",
    "src/legacy.js": "",
    "src/deep/index.ts": "",
    "src/style.css": "a {}",
    "packages/core/package.json": json.dumps(
        {
            "name": "@acme/core",
            "exports": {
                ".": {"types": "./dist/index.d.ts", "import": "./dist/index.js"},
                "./tools/*": "./src/tools/*.ts",
                "./missing": "./dist/missing.js",
            },
            "imports": {"#inner/*": "./src/inner/*.ts"},
        }
    ),
    "packages/core/src/index.ts": "",
    "packages/core/src/tools/saw.ts": "",
    "packages/core/src/inner/nut.ts": "",
    "packages/built/package.json": json.dumps(
        {
            "name": "built",
            "exports": {
                ".": {"types": "./dist/index.d.mts", "import": "./dist/index.mjs"},
                "./plugin": {"types": "./dist/plugin.d.mts", "import": "./dist/plugin.mjs"},
            },
        }
    ),
    "packages/built/dist/index.d.mts": "",
    "packages/built/dist/plugin.d.mts": "",
    "packages/built/src/index.ts": "",
    "packages/built/src/plugin.tsx": "",
    "packages/plain/package.json": '{"name": "plain", "main": "lib/start"}',
    "packages/plain/lib/start.js": "",
    "packages/plain/helper.js": "",
}


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("src/main.ts", "./util", ("src/util.ts",)),
        ("src/main.ts", "./util.js", ("src/util.ts",)),
        ("src/main.ts", "./view.jsx", ("src/view.tsx",)),
        ("src/main.ts", "./deep", ("src/deep/index.ts",)),
        ("src/deep/index.ts", "..", "unresolved"),
        ("src/deep/index.ts", "../legacy", ("src/legacy.js",)),
        ("src/main.ts", "./style.css", "outside"),
        ("src/main.ts", "./style.css?inline", "outside"),
        ("src/main.ts", "./nothing", "unresolved"),
        ("src/main.ts", "../../../x", "unresolved"),
        ("src/main.ts", "@acme/core", ("packages/core/src/index.ts",)),
        ("src/main.ts", "@acme/core/tools/saw", ("packages/core/src/tools/saw.ts",)),
        ("src/main.ts", "@acme/core/missing", "unresolved"),
        ("packages/core/src/index.ts", "#inner/nut", ("packages/core/src/inner/nut.ts",)),
        ("packages/core/src/index.ts", "#inner/bolt", "unresolved"),
        ("packages/built/src/plugin.tsx", "built", ("packages/built/src/index.ts",)),
        ("packages/built/src/index.ts", "built/plugin", ("packages/built/src/plugin.tsx",)),
        ("src/main.ts", "plain", ("packages/plain/lib/start.js",)),
        ("src/main.ts", "plain/helper", ("packages/plain/helper.js",)),
        ("src/main.ts", "react", "external react"),
        ("src/main.ts", "@types/node/fs", "external @types/node"),
        ("src/main.ts", "node:fs", "external node:fs"),
        ("src/main.ts", "@/util", ("src/util.ts",)),
        ("src/main.ts", "/src/util.ts", ("src/util.ts",)),
    ],
)
def test_an_import_leads_to(path: str, module: str, expected: str | tuple[str, ...]) -> None:
    [resolution] = resolve_texts(PROJECT | {path: f"import x from '{module}';"}, path)
    assert outcome(resolution) == expected


@pytest.mark.parametrize(
    "statement",
    [
        "import { a } from './util'",
        "export { a } from './util'",
        "export * from './util'",
        "const a = require('./util')",
        "const a = await import('./util')",
        "import type { A } from './util'",
    ],
)
def test_every_way_to_import_is_followed(statement: str) -> None:
    [resolution] = resolve_texts(PROJECT | {"src/main.ts": statement}, "src/main.ts")
    assert outcome(resolution) == ("src/util.ts",)


def test_paths_of_a_configuration_with_comments_are_followed_through_extends() -> None:
    texts = {
        "tsconfig.base.json": """{
            // where things are
            "compilerOptions": {
                "baseUrl": ".", /* the root */
                "paths": {"@app/*": ["app/src/*"], "@app/special": ["app/other/special.ts"],},
            },
        }""",
        "app/tsconfig.json": '{"extends": "../tsconfig.base.json"}',
        "app/src/page.ts": "import '@app/lib/a'; import '@app/special'; import 'app/src/lib/a';",
        "app/src/lib/a.ts": "",
        "app/other/special.ts": "",
    }
    assert [outcome(it) for it in resolve_texts(texts, "app/src/page.ts")] == [
        ("app/src/lib/a.ts",),
        ("app/other/special.ts",),
        ("app/src/lib/a.ts",),
    ]


def test_a_configuration_that_only_refers_to_others_takes_their_paths() -> None:
    texts = {
        "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
        "tsconfig.app.json": '{"compilerOptions": {"paths": {"~lib/*": ["./lib/*"]}}}',
        "src/main.ts": "import '~lib/x'",
        "lib/x.ts": "",
    }
    assert [outcome(it) for it in resolve_texts(texts, "src/main.ts")] == [("lib/x.ts",)]


def test_configurations_that_extend_one_another_do_not_hang() -> None:
    texts = {
        "a.json": '{"extends": "./tsconfig.json"}',
        "tsconfig.json": '{"extends": "./a.json"}',
        "main.ts": "import 'x'",
    }
    assert [outcome(it) for it in resolve_texts(texts, "main.ts")] == ["external x"]


def test_the_source_of_a_built_file_is_found() -> None:
    texts = {"bin/run.js": "require('../dist/cli.js')", "src/cli.ts": ""}
    assert [outcome(it) for it in resolve_texts(texts, "bin/run.js")] == [("src/cli.ts",)]


def test_a_broken_manifest_is_ignored() -> None:
    texts = {
        "package.json": "{broken",
        "tsconfig.json": "[]",
        "main.js": "import 'x'; import './y'",
    }
    assert [outcome(it) for it in resolve_texts(texts, "main.js")] == ["external x", "unresolved"]

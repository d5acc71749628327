import pytest

from bridge_kit import lines

NATIVE = """\
Napi::Value Hello(const Napi::CallbackInfo& info) { return info.Env().Null(); }
Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set(Napi::String::New(env, "hello"), Napi::Function::New(env, Hello));
  exports.Set("level", Napi::Number::New(env, 3));
  return exports;
}
NODE_API_MODULE(addon, Init)
"""


@pytest.mark.parametrize(
    "use",
    [
        'const addon = require("./build/Release/addon.node");\naddon.hello();\n',
        'const addon = require("bindings")("addon");\naddon.hello();\n',
        'let x, addon;\nx = addon || (addon = require("bindings")("addon")); addon.hello();\n',
        'const unused = 1;\nconst { hello } = require("./build/addon.node");\n',
        'const a = require("node-gyp-build")(__dirname);\nconst { hello: h } = a;\n',
    ],
)
def test_javascript_reaches_what_an_addon_registers(use: str) -> None:
    assert lines({"src/addon.cc": NATIVE, "lib/use.js": use}) == [
        "node_api hello lib/use.js:2 -> src/addon.cc:1"
    ]


def test_an_addon_that_a_file_hands_on_is_followed() -> None:
    files = {
        "src/addon.cc": NATIVE,
        "lib/native.js": """\
            function load() {
              return require("../build/addon.node");
            }
            const native = load();
            module.exports = native;
            """,
        "lib/use.js": 'const n = require("./native");\nn.level; n.absent; "n.text"; // n.x\n',
    }
    assert lines(files) == [
        "node_api addon lib/native.js:2 -> src/addon.cc:7",
        "node_api level lib/use.js:2 -> src/addon.cc:4",
        "node_api absent lib/use.js:2 -> ?",
    ]


def test_napi_rs_writes_names_as_javascript_does() -> None:
    files = {
        "src/lib.rs": """\
            #[napi]
            pub fn hash_sync(a: u32) -> u32 { a }
            #[napi(js_name = "total")]
            pub fn sum() {}
            #[napi]
            pub struct Hasher {}
            #[napi]
            pub const MOST: u32 = 3;
            """,
        "index.js": """\
            const nativeBinding = require('./x.linux-x64-gnu.node')
            module.exports.hashSync = nativeBinding.hashSync
            module.exports.total = nativeBinding.total
            module.exports.Hasher = nativeBinding.Hasher
            module.exports.MOST = nativeBinding.MOST
            """,
    }
    assert lines(files) == [
        "node_api hashSync index.js:2 -> src/lib.rs:2",
        "node_api total index.js:3 -> src/lib.rs:4",
        "node_api Hasher index.js:4 -> src/lib.rs:6",
        "node_api MOST index.js:5 -> src/lib.rs:8",
    ]


def test_javascript_and_rust_reach_each_other_through_wasm_bindgen() -> None:
    files = {
        "wasm/Cargo.toml": '[package]\nauthors = ["a"]\nname = "my-game"\n',
        "wasm/src/lib.rs": """\
            #[wasm_bindgen]
            pub fn greet(name: &str) {}
            #[wasm_bindgen(js_name = startNow)]
            pub fn start_now() {}
            #[wasm_bindgen]
            pub struct World {}
            #[wasm_bindgen]
            impl World {
                pub fn tick(&self) {}
            }
            #[wasm_bindgen(module = "/js/page.js")]
            extern "C" {
                fn draw(x: u32);
                fn absent();
            }
            """,
        "wasm/js/page.js": "export function draw(x) {}\n",
        "www/index.js": """\
            import init, { greet, World, missing } from "../wasm/pkg/my_game.js";
            greet("x");
            """,
        "www/all.ts": 'import * as game from "my-game";\ngame.startNow();\ngame.tick();\n',
        "wasm/late.js": 'import("./pkg").then(it => it.greet("x"));\n',
        "www/other.js": 'import { greet } from "./greetings.js";\ngreet("x");\n',
    }
    assert lines(files) == [
        "wasm_bindgen greet wasm/late.js:1 -> wasm/src/lib.rs:2",
        "wasm_bindgen draw wasm/src/lib.rs:13 -> wasm/js/page.js:1",
        "wasm_bindgen startNow www/all.ts:2 -> wasm/src/lib.rs:4",
        "wasm_bindgen World www/index.js:1 -> wasm/src/lib.rs:6",
        "wasm_bindgen greet www/index.js:1 -> wasm/src/lib.rs:2",
        "wasm_bindgen absent wasm/src/lib.rs:14 -> ?",
        "wasm_bindgen missing www/index.js:1 -> ?",
    ]


@pytest.mark.parametrize("hostile", ["x = " + "9" * 5_000, "x = " + "[" * 3_000])
def test_a_manifest_that_cannot_be_read_names_no_crate(hostile: str) -> None:
    files = {
        "Cargo.toml": f'[package]\nname = "a"\n{hostile}\n',
        "src/lib.rs": "#[wasm_bindgen]\npub fn greet() {}\n",
        "a.js": 'import { greet } from "a";\ngreet();\n',
        "b.js": 'import { greet } from "./pkg/a.js";\ngreet();\n',
    }
    assert lines(files) == ["wasm_bindgen greet b.js:1 -> src/lib.rs:2"]

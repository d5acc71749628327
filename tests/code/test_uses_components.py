"""Uses in files of components."""

from navigation_kit import uses


def test_what_a_component_exports_alone_is_not_the_component() -> None:
    files = {
        "Menu.svelte": "<script>\nexport function scroll() {}\n</script>\n<ul/>\n",
        "App.svelte": '<script>\nimport Menu from "./Menu.svelte";\nlet menu = $state();\n'
        "</script>\n<Menu bind:this={menu} />\n",
    }
    assert uses(files, "scroll")["certain"] == []


def test_the_one_thing_that_a_plain_module_exports_may_be_its_default() -> None:
    files = {
        "menu.ts": "export function scroll() {}\n",
        "app.ts": 'import menu from "./menu";\nmenu();\n',
    }
    assert uses(files, "scroll")["certain"] == ["app.ts:1 import", "app.ts:2 call"]


def test_the_library_folder_of_sveltekit_is_found() -> None:
    files = {
        "src/lib/attrs.ts": "export function attrs() {}\n",
        "src/lib/Box.svelte": '<script>\nimport { attrs } from "$lib/attrs.js";\n</script>\n'
        "<div {...attrs()}></div>\n",
    }
    assert uses(files, "attrs")["certain"] == [
        "src/lib/Box.svelte:2 import",
        "src/lib/Box.svelte:4 call template",
    ]

"""The review names values without what their type requires since a change."""

from pathlib import Path

import pytest

from repositories import Tree
from review_kit import commit, places, review


@pytest.fixture
def tree(workspace: Path) -> Tree:
    return Tree(workspace)


def test_a_literal_without_a_required_key(tree: Tree) -> None:
    files = {
        "su.py": "from typing import NotRequired, TypedDict\n\n\nclass Order(TypedDict):\n"
        "    number: int\n",
        "use.py": "from su import Order\n\none: Order = {'number': 1}\ntwo = Order(number=2)\n"
        "three: Order = {**one}\n\n\ndef make() -> Order:\n    return {'number': 3}\n",
    }
    commit(tree, files)
    required = files["su.py"] + "    paid: bool\n"
    found = places(review(tree, {"su.py": required}), "broken-contract")
    assert sorted(found) == [("use.py", 3), ("use.py", 4), ("use.py", 9)]
    optional = files["su.py"] + "    paid: NotRequired[bool]\n"
    assert places(review(tree, {"su.py": optional}), "broken-contract") == []


def test_a_tag_without_a_required_attribute(tree: Tree) -> None:
    files = {
        "card.tsx": "export interface CardProps {\n  title: string;\n  note?: string;\n}\n\n"
        "export function Card({ title }: CardProps) {\n  return <b>{title}</b>;\n}\n",
        "page.tsx": "import { Card } from './card';\n\nexport function Page(props: any) {\n"
        '  return <p><Card title="a" /><Card {...props} />\n    <Card title={props.a} />\n'
        "  </p>;\n}\n",
    }
    commit(tree, files)
    after = files["card.tsx"].replace("  note?", "  kind: string;\n  note?")
    found = places(review(tree, {"card.tsx": after}), "broken-contract")
    assert sorted(found) == [("page.tsx", 4), ("page.tsx", 5)]


def test_a_member_of_a_declared_class_that_another_only_implements(tree: Tree) -> None:
    files = {
        "driver.ts": "export declare class Driver {\n  read(path: string): string;\n}\n\n"
        "export interface Big extends Driver {\n  more(): void;\n}\n",
        "use.ts": "import { Big, Driver } from './driver';\n\nexport class Local implements Big {\n"
        "  read(path: string): string {\n    return path;\n  }\n  more(): void {}\n}\n\n"
        "export class Other extends Driver {}\n",
    }
    commit(tree, files)
    after = files["driver.ts"].replace("string;\n}", "string;\n  describe(): string;\n}", 1)
    found = review(tree, {"driver.ts": after})
    assert places(found, "broken-contract") == [("use.ts", 3)]

import pytest

from benchpin.repository.documents._documents import parse, slug


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Getting Started", "getting-started"),
        ("What's new in 2.0?", "whats-new-in-20"),
        ("C++ & C#", "c--c"),
        ("snake_case -- and dashes", "snake_case----and-dashes"),
        ("Über uns", "über-uns"),
        ("日本語", "日本語"),
        ("  spaces  ", "spaces"),
        ("🚀 Launch", "-launch"),
    ],
)
def test_anchors_are_those_of_github(heading: str, anchor: str) -> None:
    assert slug(heading) == anchor


def test_the_same_heading_again_gets_a_number() -> None:
    document = parse("# Use\n\n## Use\n\n## Use-1\n\n# Use\n")
    assert [it.slug for it in document.headings] == ["use", "use-1", "use-1-1", "use-2"]


def test_marks_in_headings_are_not_part_of_the_anchor() -> None:
    document = parse("# The `run` *command* and [links](x.md)\n\nSetext\n------\n")
    assert [(it.text, it.slug, it.level) for it in document.headings] == [
        ("The run command and links", "the-run-command-and-links", 1),
        ("Setext", "setext", 2),
    ]


def test_anchors_of_html_and_of_site_generators_count() -> None:
    document = parse('<a name="old"></a>\n\n# New {#own-name}\n\ntext <span id="here">x</span>\n')
    assert document.anchors == {"old", "own-name", "new", "here"}


def test_links_have_their_lines() -> None:
    document = parse(
        "---\ntitle: x\n---\n\nOne [a](a.md)\nand ![b](b.png)\n\n"
        '<p>\n<a href="c.md">c</a>\n</p>\n\n[ref]\n\n[ref]: d.md "D"\n\n'
        "| t |\n| - |\n| [e](e.md) |\n"
    )
    assert [(it.target, it.line) for it in document.links] == [
        ("a.md", 5),
        ("b.png", 6),
        ("c.md", 9),
        ("d.md", 12),
        ("e.md", 18),
    ]


def test_code_contains_no_links() -> None:
    document = parse("`[a](a.md)`\n\n```sh\n[b](b.md)\n```\n\n    [c](c.md)\n")
    assert document.links == ()
    assert [(it.language, it.line) for it in document.blocks] == [("sh", 4), ("", 7)]


def test_headings_of_html_count() -> None:
    document = parse('<div>\n<h3 align="center"><b>Our &amp; Sponsors</b></h3>\n</div>\n')
    assert [(it.text, it.level, it.line, it.slug) for it in document.headings] == [
        ("Our & Sponsors", 3, 2, "our--sponsors")
    ]


def test_a_footnote_is_no_link() -> None:
    assert parse("text[^1] and [a](b.md)\n\n[^1]: see\n").links == parse("[a](b.md)\n").links
